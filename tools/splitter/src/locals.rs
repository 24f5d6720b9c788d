//! The local variables of a function in the order that makes it smallest: those of a kind beside each other, and of them
//! those first that are used most.

use std::error::Error;
use wasmparser::{FunctionBody, Operator, ValType};

/// The variables besides the parameters, and the new number of each old one.
///
/// # Errors
/// Where it is no function.
pub fn ordered(body: &FunctionBody<'_>, parameters: u32) -> Result<(Vec<ValType>, Vec<u32>), Box<dyn Error>> {
    let mut kinds = Vec::new();
    for locals in body.get_locals_reader()? {
        let (count, kind) = locals?;
        kinds.extend((0..count).map(|_| kind));
    }
    let mut uses = vec![0; kinds.len()];
    for operator in body.get_operators_reader()? {
        if let Operator::LocalGet { local_index }
        | Operator::LocalSet { local_index }
        | Operator::LocalTee { local_index } = operator?
            && local_index >= parameters
        {
            uses[(local_index - parameters) as usize] += 1;
        }
    }
    let mut order: Vec<usize> = (0..kinds.len()).filter(|place| uses[*place] > 0).collect();
    let first_of_its_kind = |place: usize| kinds.iter().position(|kind| *kind == kinds[place]);
    order.sort_by_key(|place| (first_of_its_kind(*place), -uses[*place]));
    let mut numbers: Vec<u32> = (0..parameters + kinds.len() as u32).collect();
    for (new, old) in order.iter().enumerate() {
        numbers[parameters as usize + old] = parameters + new as u32;
    }
    Ok((order.into_iter().map(|place| kinds[place]).collect(), numbers))
}
