//! Reorders the local variables of a function to make it smaller: variables of the same type together, and among them the
//! most used first.

use std::error::Error;
use wasmparser::{FunctionBody, Operator, ValType};

/// The types of the local variables in their new order, and the new number of each parameter and variable.
///
/// # Errors
/// If the body cannot be parsed.
pub fn ordered(body: &FunctionBody<'_>, parameters: u32) -> Result<(Vec<ValType>, Vec<u32>), Box<dyn Error>> {
    let mut types = Vec::new();
    for locals in body.get_locals_reader()? {
        let (count, ty) = locals?;
        types.extend((0..count).map(|_| ty));
    }
    let mut uses = vec![0; types.len()];
    for operator in body.get_operators_reader()? {
        if let Operator::LocalGet { local_index }
        | Operator::LocalSet { local_index }
        | Operator::LocalTee { local_index } = operator?
            && local_index >= parameters
        {
            uses[(local_index - parameters) as usize] += 1;
        }
    }
    let mut order: Vec<usize> = (0..types.len()).filter(|index| uses[*index] > 0).collect();
    let first_of_type = |index: usize| types.iter().position(|ty| *ty == types[index]);
    order.sort_by_key(|index| (first_of_type(*index), -uses[*index]));
    let mut numbers: Vec<u32> = (0..parameters + types.len() as u32).collect();
    for (new, old) in order.iter().enumerate() {
        numbers[parameters as usize + old] = parameters + new as u32;
    }
    Ok((order.into_iter().map(|index| types[index]).collect(), numbers))
}
