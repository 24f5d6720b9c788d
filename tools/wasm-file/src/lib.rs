//! The attribute that puts functions into another file of the wasm.
//!
//! `wasm_split_helpers` has one for the same splitter, which is not used: it takes neither async functions nor methods, its errors do not
//! say why a file could not be loaded, and the main file would have the code that waits once for each function.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use std::hash::{DefaultHasher, Hash, Hasher};
use syn::{
    Error, FnArg, GenericParam, Ident, ImplItem, ImplItemFn, Item, ItemFn, ItemImpl, Pat, ReturnType,
    Signature, Type, parse_macro_input, parse_quote, spanned::Spanned,
};

/// Puts an async function, or the async methods of a block, with what only they use into a file of the wasm. A call loads the file
/// first, and fails if that cannot be loaded; the next call tries again.
///
/// The function returns a `Result` whose error can be made of the library's, and if it borrows something, that has a lifetime with a
/// name. One with the attribute `wasm_bindgen`, which stands below this one, returns a promise. Methods are such functions, of a copy of
/// their object, which makes the promise with its method `promised`. Natively there is one file.
#[proc_macro_attribute]
pub fn wasm_file(file: TokenStream, item: TokenStream) -> TokenStream {
    let file = parse_macro_input!(file as Ident).to_string();
    let marked = match parse_macro_input!(item as Item) {
        Item::Fn(function) => in_file(&file, function),
        Item::Impl(block) => methods_in_file(&file, block),
        other => Err(Error::new(other.span(), "only functions and their blocks can be in another file")),
    };
    marked.unwrap_or_else(Error::into_compile_error).into()
}

fn in_file(file: &str, ItemFn { attrs, vis, sig, block }: ItemFn) -> Result<Tokens, Error> {
    let Call { future, output, inputs, arguments } = Call::of(&sig)?;
    let (name, generics, given) = (&sig.ident, &sig.generics, &sig.inputs);
    let names = Names::of(file, name.to_string());
    let imported = names.imported(quote!(#generics(#inputs) -> #future), quote!(imported(#arguments)));
    let exported = &names.exported;
    let lints = lints();
    let here = quote!(async fn here #generics(#inputs) -> #output #block);
    let call = quote! {
        {
            #[unsafe(export_name = #exported)]
            extern "C" fn exported #generics(#inputs) -> #future {
                ::std::boxed::Box::pin(here(#arguments))
            }
            #imported
        }
    };
    if attrs.iter().any(|attribute| attribute.path().is_ident("wasm_bindgen")) {
        return Ok(quote! {
            #(#attrs)*
            #lints
            #vis fn #name(#given) -> ::js_sys::Promise {
                #here
                crate::web::guard::promise(#call)
            }
        });
    }
    Ok(quote! {
        #(#attrs)*
        #lints
        #vis fn #name #generics(#inputs) -> #future {
            #here
            #[cfg(not(all(target_arch = "wasm32", feature = "bindings")))]
            {
                crate::wasm_file::load_before(
                    #file,
                    ::std::boxed::Box::new(move || ::std::boxed::Box::pin(here(#arguments))),
                )
            }
            #[cfg(all(target_arch = "wasm32", feature = "bindings"))]
            #call
        }
    })
}

fn methods_in_file(file: &str, mut block: ItemImpl) -> Result<Tokens, Error> {
    let object = block.self_ty.clone();
    let mut exported = Vec::new();
    for item in &mut block.items {
        if let ImplItem::Fn(method) = item
            && method.sig.asyncness.take().is_some()
        {
            exported.push(exported_half(file, &object, method)?);
        }
    }
    Ok(quote! {
        #block
        impl #object {
            #(#exported)*
        }
    })
}

/// Takes the body of a method, in whose place the method calls the other half, which has the body.
fn exported_half(file: &str, object: &Type, method: &mut ImplItemFn) -> Result<Tokens, Error> {
    let Call { future, inputs, arguments, .. } = Call::of(&method.sig)?;
    let names = Names::of(file, format!("{}_{}", quote!(#object), method.sig.ident));
    let half = format_ident!("{}_in_file", method.sig.ident);
    let (receiver, copy, this, promise) = match method.sig.receiver() {
        Some(_) => (quote!(self,), quote!(let this = self.clone();), quote!(this,), quote!(self.promised)),
        None => (quote!(), quote!(), quote!(), quote!(crate::web::guard::promise)),
    };
    let this_input = method.sig.receiver().map(|_| quote!(this: #object,));
    let imported =
        names.imported(quote!((#this_input #inputs) -> #future), quote!(imported(#this #arguments)));
    let body = std::mem::replace(&mut method.block, parse_quote!({ #copy #promise(#imported) }));
    method.sig.output = parse_quote!(-> ::js_sys::Promise);
    let lints = lints();
    method.attrs.push(parse_quote!(#[allow(unsafe_code, improper_ctypes, reason = "see `wasm_file`")]));
    let exported = &names.exported;
    Ok(quote! {
        #lints
        #[unsafe(export_name = #exported)]
        extern "C" fn #half(#receiver #inputs) -> #future {
            ::std::boxed::Box::pin(async move #body)
        }
    })
}

fn lints() -> Tokens {
    quote! {
        #[allow(unsafe_code, reason = "to the compiler a function in another file of the wasm is an extern one")]
        #[allow(improper_ctypes, improper_ctypes_definitions, reason = "both sides are compiled together")]
    }
}

/// What both halves of a function share: its future with the output of that, its parameters, and their names.
struct Call {
    future: Tokens,
    output: Tokens,
    inputs: Tokens,
    arguments: Tokens,
}

impl Call {
    fn of(signature: &Signature) -> Result<Self, Error> {
        let ReturnType::Type(_, output) = &signature.output else {
            return Err(Error::new(signature.span(), "the function must return a Result"));
        };
        let lifetime = match signature.generics.params.first() {
            Some(GenericParam::Lifetime(first)) => first.lifetime.clone(),
            _ => parse_quote!('static),
        };
        let (mut inputs, mut arguments) = (Vec::new(), Vec::new());
        for input in &signature.inputs {
            let FnArg::Typed(input) = input else { continue };
            let Pat::Ident(argument) = &*input.pat else {
                return Err(Error::new(input.span(), "a parameter must be a name"));
            };
            let (name, of) = (&argument.ident, &input.ty);
            inputs.push(quote!(#name: #of));
            arguments.push(name);
        }
        Ok(Self {
            output: quote!(#output),
            future: quote!(::futures_util::future::LocalBoxFuture<#lifetime, #output>),
            inputs: quote!(#(#inputs),*),
            arguments: quote!(#(#arguments),*),
        })
    }
}

/// The names by which the splitter finds the two halves of a function.
struct Names<'a> {
    file: &'a str,
    imported: String,
    exported: String,
}

impl<'a> Names<'a> {
    /// The splitter tells the functions of a file apart by 32 digits.
    fn of(file: &'a str, name: String) -> Self {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        let half = |half| format!("__wasm_split_00{file}00_{half}_{:032x}_{name}", hasher.finish());
        Self { file, imported: half("import"), exported: half("export") }
    }

    /// The call of the half in the other file, which is loaded first.
    fn imported(&self, signature: Tokens, call: Tokens) -> Tokens {
        let Self { file, imported, .. } = self;
        quote! {
            {
                #[link(wasm_import_module = "__wasm_split_placeholder__")]
                unsafe extern "C" {
                    #[link_name = #imported]
                    fn imported #signature;
                }
                // SAFETY: this calls the other half, which has the same type, once its file is loaded.
                crate::wasm_file::load_before(#file, ::std::boxed::Box::new(move || unsafe { #call }))
            }
        }
    }
}
