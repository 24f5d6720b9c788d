//! Makes a wasm smaller without changing its behaviour: puts similar functions next to each other, which compresses well,
//! merges equal functions, encodes numbers as short as possible, and removes unused types and data segments.

use crate::locals;
use std::{cmp::Ordering, collections::BTreeSet, convert::Infallible, error::Error};
use wasm_encoder::{
    CodeSection, DataSection, ElementSection, FunctionSection, ImportSection, Instruction, Module,
    TypeSection,
    reencode::{self, Reencode},
};
use wasmparser::{
    BlockType, CodeSectionReader, CompositeInnerType, CustomSectionReader, Data, DataKind, DataSectionReader,
    Element, ElementSectionReader, FuncType, FunctionBody, FunctionSectionReader, Import,
    ImportSectionReader, KnownCustom, Name, Operator, Parser, Payload, TypeRef, TypeSectionReader,
    UnpackedIndex, ValType,
};

type Reencoded<T> = Result<T, reencode::Error<Infallible>>;

/// Packs one wasm, or merges parts of one wasm that the splitter has made, which have the same types and import only its
/// memory, its table and its stack.
///
/// # Errors
/// If one is not a wasm, or has features that Rust's compiler and the splitter do not use.
pub fn packed(wasms: &[Vec<u8>]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut smallest = packed_once(wasms, by_bytes)?;
    // After merging two functions, their callers may be equal as well.
    loop {
        let wasms = [smallest];
        let smaller = packed_once(&wasms, by_bytes)?;
        let is_done = smaller.len() == wasms[0].len();
        smallest = smaller;
        if is_done {
            return packed_once(&[smallest], by_likeness);
        }
    }
}

fn packed_once(wasms: &[Vec<u8>], sort: fn(&mut Vec<Function<'_>>)) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut packing = Packing::default();
    for wasm in wasms {
        packing.read(wasm)?;
    }
    sort(&mut packing.functions);
    packing.merge();
    let mut module = Module::new();
    packing.parse_core_module(&mut module, Parser::new(0), &wasms[0])?;
    Ok(module.finish())
}

/// Whether a wasm has data segments that are not constants.
///
/// # Errors
/// If it is not a wasm.
pub fn has_variables(wasm: &[u8]) -> Result<bool, Box<dyn Error>> {
    let mut segments = Vec::new();
    let mut constant = BTreeSet::new();
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::DataSection(section) => {
                for (index, segment) in section.into_iter().enumerate() {
                    if !segment?.data.is_empty() {
                        segments.push(index as u32);
                    }
                }
            }
            Payload::CustomSection(section) => {
                if let KnownCustom::Name(names) = section.as_known() {
                    for name in names {
                        let Name::Data(names) = name? else { continue };
                        for name in names {
                            let name = name?;
                            if name.name.starts_with(".rodata") {
                                constant.insert(name.index);
                            }
                        }
                    }
                }
            }
            _ => {}
        }
    }
    Ok(!segments.iter().all(|index| constant.contains(index)))
}

#[derive(Default)]
struct Packing<'a> {
    /// The function types of the first wasm, which all have.
    signatures: Vec<FuncType>,
    used_types: BTreeSet<u32>,
    wasms: Vec<Wasm<'a>>,
    functions: Vec<Function<'a>>,
    /// The new index of each used type.
    type_indices: Vec<Option<u32>>,
    /// The new index of each function, for each wasm.
    function_indices: Vec<Vec<u32>>,
    /// The index of the wasm that is being encoded.
    current: usize,
    /// The local variables of the function that is being encoded, and their new numbers.
    locals: (Vec<ValType>, Vec<u32>),
}

#[derive(Default)]
struct Wasm<'a> {
    imports: Vec<Import<'a>>,
    imported_functions: usize,
    /// The types of its own functions.
    types: Vec<u32>,
    elements: Vec<Element<'a>>,
    segments: Vec<Data<'a>>,
    uses_segments: bool,
}

struct Function<'a> {
    wasm: usize,
    index: usize,
    type_index: u32,
    body: FunctionBody<'a>,
    locals: (Vec<ValType>, Vec<u32>),
}

impl<'a> Packing<'a> {
    fn read(&mut self, bytes: &'a [u8]) -> Result<(), Box<dyn Error>> {
        let mut wasm = Wasm::default();
        let mut signatures = Vec::new();
        let mut bodies = 0;
        for payload in Parser::new(0).parse_all(bytes) {
            match payload? {
                Payload::TypeSection(section) => {
                    for group in section {
                        for one in group?.into_types() {
                            let CompositeInnerType::Func(function) = one.composite_type.inner else {
                                return Err("the wasm has a type that is not a function type".into());
                            };
                            signatures.push(function);
                        }
                    }
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let import = import?;
                        if let TypeRef::Func(of) = import.ty {
                            self.used_types.insert(of);
                            wasm.imported_functions += 1;
                        }
                        wasm.imports.push(import);
                    }
                }
                Payload::FunctionSection(section) => {
                    for of in section {
                        wasm.types.push(of?);
                    }
                }
                Payload::ElementSection(section) => {
                    for element in section {
                        wasm.elements.push(element?);
                    }
                }
                Payload::CodeSectionEntry(body) => {
                    let type_index = wasm.types[bodies];
                    let index = wasm.imported_functions + bodies;
                    bodies += 1;
                    self.used_types.insert(type_index);
                    wasm.uses_segments |= self.read_body(&body)?;
                    let parameters = signatures[type_index as usize].params().len() as u32;
                    let locals = locals::ordered(&body, parameters)?;
                    self.functions.push(Function { wasm: self.wasms.len(), index, type_index, body, locals });
                }
                Payload::DataSection(section) => {
                    for segment in section {
                        wasm.segments.push(segment?);
                    }
                }
                _ => {}
            }
        }
        let is_part = wasm.imported_functions == 0 && !wasm.uses_segments;
        match self.wasms.first() {
            None => self.signatures = signatures,
            Some(_) if !is_part || self.signatures != signatures => {
                return Err("the files are not parts of the same wasm".into());
            }
            Some(_) => {}
        }
        self.wasms.push(wasm);
        Ok(())
    }

    /// Records the types that a function uses. Returns whether it refers to data segments.
    fn read_body(&mut self, body: &FunctionBody<'_>) -> Result<bool, Box<dyn Error>> {
        let mut uses_segments = false;
        for operator in body.get_operators_reader()? {
            match operator? {
                Operator::CallIndirect { type_index: of, .. }
                | Operator::Block { blockty: BlockType::FuncType(of) }
                | Operator::Loop { blockty: BlockType::FuncType(of) }
                | Operator::If { blockty: BlockType::FuncType(of) } => {
                    self.used_types.insert(of);
                }
                Operator::MemoryInit { .. } | Operator::DataDrop { .. } => uses_segments = true,
                _ => {}
            }
        }
        Ok(uses_segments)
    }

    /// Keeps one of the functions that are the same, which have to be neighbours.
    fn merge(&mut self) {
        let imported = self.wasms[0].imported_functions;
        self.function_indices =
            self.wasms.iter().map(|wasm| (0..(imported + wasm.types.len()) as u32).collect()).collect();
        let mut merged: Vec<Function<'a>> = Vec::new();
        for function in std::mem::take(&mut self.functions) {
            let (wasm, index) = (function.wasm, function.index);
            if merged.last().is_none_or(|last| !last.is_same(&function)) {
                merged.push(function);
            }
            self.function_indices[wasm][index] = (imported + merged.len() - 1) as u32;
        }
        self.functions = merged;
        self.type_indices = vec![None; self.signatures.len()];
        for (new, old) in self.used_types.iter().enumerate() {
            self.type_indices[*old as usize] = Some(new as u32);
        }
    }
}

/// The functions of a type are neighbours, and equal functions too.
fn by_bytes(functions: &mut Vec<Function<'_>>) {
    functions.sort_by_key(|function| (function.type_index, function.body.as_bytes(), function.wasm));
}

/// After each function the one of the same type that shares most with it, which compresses half a percent better than
/// [`by_bytes`]. The first of each type is that of [`by_bytes`], so the order depends on the functions alone.
fn by_likeness(functions: &mut Vec<Function<'_>>) {
    by_bytes(functions);
    let mut left: Vec<_> =
        functions.drain(..).map(|function| (pieces(function.body.as_bytes()), function)).collect();
    left.reverse();
    let mut last = left.pop();
    while let Some((pieces, function)) = last {
        let mut next = left.len().saturating_sub(1);
        let mut most = -1.0;
        for (place, (others, other)) in left.iter().enumerate().rev() {
            if other.type_index != function.type_index {
                break;
            }
            let most_possible =
                pieces.len().min(others.len()) as f64 / pieces.len().max(others.len()).max(1) as f64;
            if most_possible <= most {
                continue;
            }
            let found = likeness(&pieces, others);
            if found > most {
                (most, next) = (found, place);
            }
        }
        functions.push(function);
        last = if left.is_empty() { None } else { Some(left.remove(next)) };
    }
}

/// The different sequences of six bytes in a function, as sorted hashes (FNV-1a).
fn pieces(body: &[u8]) -> Vec<u32> {
    let hash = |piece: &[u8]| {
        piece.iter().fold(2_166_136_261_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(16_777_619))
    };
    body.windows(6).map(hash).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The part of the pieces of both functions that is in both: from 0 to 1.
fn likeness(one: &[u32], other: &[u32]) -> f64 {
    let (mut left, mut right, mut shared) = (one.iter().peekable(), other.iter().peekable(), 0_usize);
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        match a.cmp(b) {
            Ordering::Less => drop(left.next()),
            Ordering::Greater => drop(right.next()),
            Ordering::Equal => {
                shared += 1;
                left.next();
                right.next();
            }
        }
    }
    shared as f64 / (one.len() + other.len() - shared).max(1) as f64
}

impl Function<'_> {
    /// Whether two functions are equal, which can be compared only within one wasm, because indices differ.
    fn is_same(&self, other: &Self) -> bool {
        (self.wasm, self.type_index) == (other.wasm, other.type_index)
            && self.body.as_bytes() == other.body.as_bytes()
    }
}

impl Wasm<'_> {
    /// Whether a segment is needed. An empty segment is one that another file fills.
    fn keeps(&self, segment: &Data<'_>) -> bool {
        self.uses_segments || !segment.data.is_empty() || matches!(segment.kind, DataKind::Passive)
    }
}

impl<'a> Reencode for Packing<'a> {
    type Error = Infallible;

    fn function_index(&mut self, index: u32) -> Reencoded<u32> {
        Ok(self.function_indices[self.current][index as usize])
    }

    fn type_index(&mut self, index: u32) -> Reencoded<u32> {
        // Only unused types have no new index.
        Ok(self.type_indices[index as usize].unwrap_or(0))
    }

    fn type_index_unpacked(&mut self, index: UnpackedIndex) -> Reencoded<u32> {
        self.type_index(index.as_module_index().unwrap_or(0))
    }

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: TypeSectionReader<'_>,
    ) -> Reencoded<()> {
        let groups: Vec<_> = section.into_iter().collect::<Result<_, _>>()?;
        for (group, new) in groups.into_iter().zip(self.type_indices.clone()) {
            if new.is_some() {
                self.parse_recursive_type_group(types.ty(), group)?;
            }
        }
        Ok(())
    }

    /// The imports without duplicates. All parts import at most one of each kind from the main wasm, so its index is always 0.
    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        _: ImportSectionReader<'_>,
    ) -> Reencoded<()> {
        let mut known = BTreeSet::new();
        for index in 0..self.wasms.len() {
            for import in 0..self.wasms[index].imports.len() {
                let import = self.wasms[index].imports[import];
                if index == 0 || !known.contains(import.name) {
                    self.parse_import(imports, import)?;
                }
                known.insert(import.name);
            }
        }
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        _: FunctionSectionReader<'_>,
    ) -> Reencoded<()> {
        for index in 0..self.functions.len() {
            functions.function(self.type_index(self.functions[index].type_index)?);
        }
        Ok(())
    }

    fn parse_element_section(
        &mut self,
        elements: &mut ElementSection,
        _: ElementSectionReader<'_>,
    ) -> Reencoded<()> {
        for index in 0..self.wasms.len() {
            self.current = index;
            for element in std::mem::take(&mut self.wasms[index].elements) {
                self.parse_element(elements, element)?;
            }
        }
        self.current = 0;
        Ok(())
    }

    fn parse_code_section(&mut self, code: &mut CodeSection, _: CodeSectionReader<'_>) -> Reencoded<()> {
        for index in 0..self.functions.len() {
            self.current = self.functions[index].wasm;
            let body = self.functions[index].body.clone();
            self.locals = std::mem::take(&mut self.functions[index].locals);
            self.parse_function_body(code, body)?;
        }
        self.current = 0;
        Ok(())
    }

    fn new_function_with_parsed_locals(&mut self, _: &FunctionBody<'_>) -> Reencoded<wasm_encoder::Function> {
        let mut types = Vec::new();
        for ty in self.locals.0.clone() {
            types.push(self.val_type(ty)?);
        }
        Ok(wasm_encoder::Function::new_with_locals_types(types))
    }

    fn instruction<'b>(&mut self, operator: Operator<'b>) -> Reencoded<Instruction<'b>> {
        let local = |index: u32| self.locals.1[index as usize];
        Ok(match operator {
            Operator::LocalGet { local_index } => Instruction::LocalGet(local(local_index)),
            Operator::LocalSet { local_index } => Instruction::LocalSet(local(local_index)),
            Operator::LocalTee { local_index } => Instruction::LocalTee(local(local_index)),
            other => return reencode::utils::instruction(self, other),
        })
    }

    fn data_count(&mut self, _: u32) -> Reencoded<u32> {
        let count = |wasm: &Wasm<'_>| wasm.segments.iter().filter(|segment| wasm.keeps(segment)).count();
        Ok(self.wasms.iter().map(count).sum::<usize>() as u32)
    }

    fn parse_data_section(&mut self, data: &mut DataSection, _: DataSectionReader<'_>) -> Reencoded<()> {
        for index in 0..self.wasms.len() {
            for segment in std::mem::take(&mut self.wasms[index].segments) {
                if self.wasms[index].keeps(&segment) {
                    self.parse_data(data, segment)?;
                }
            }
        }
        Ok(())
    }

    fn parse_custom_section(&mut self, _: &mut Module, _: CustomSectionReader<'_>) -> Reencoded<()> {
        Ok(())
    }
}
