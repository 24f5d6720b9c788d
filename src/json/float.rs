//! Numbers with fractions.
//!
//! Those of the standard library would add 20 kB to the first download (brotli), for code and tables that every JavaScript
//! engine has already. In a page it is asked; elsewhere the standard library is.

use super::{FromJson, ToJson, scan::Scanner};

/// A JSON number as a float, which is infinite if the number is too large.
pub fn float(json: &str) -> Option<f64> {
    let mut scanner = Scanner::new(json);
    let number = scanner.value()?;
    scanner.end()?;
    number.starts_with(|first: char| first == '-' || first.is_ascii_digit()).then(|| sys::parsed(number))
}

impl FromJson for f64 {
    fn from_json(json: &str) -> Option<Self> {
        float(json).filter(|number| number.is_finite())
    }
}

impl ToJson for f64 {
    /// As the SDK's serializer spells it: as short as it can be, and with a fraction or an exponent.
    fn write_json(&self, out: &mut String) {
        if !self.is_finite() {
            out.push_str("null");
            return;
        }
        if self.is_sign_negative() {
            out.push('-');
        }
        let spelled = sys::scientific(self.abs());
        let (mantissa, exponent) = spelled.split_once('e').unwrap_or((&spelled, "0"));
        let exponent: i64 = exponent.parse().unwrap_or_default();
        let (first, others) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        match usize::try_from(exponent) {
            Ok(before @ 0..=15) => {
                out.push_str(first);
                for place in 0..before {
                    out.push_str(others.get(place..=place).unwrap_or("0"));
                }
                out.push('.');
                out.push_str(others.get(before..).filter(|rest| !rest.is_empty()).unwrap_or("0"));
            }
            Err(_) if exponent >= -5 => {
                out.push_str("0.");
                for _ in exponent..-1 {
                    out.push('0');
                }
                out.push_str(first);
                out.push_str(others);
            }
            _ => {
                out.push_str(mantissa);
                out.push('e');
                if exponent > 0 {
                    out.push('+');
                }
                exponent.write_json(out);
            }
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod sys {
    pub(super) fn parsed(number: &str) -> f64 {
        number.parse().unwrap_or(f64::NAN)
    }

    pub(super) fn scientific(number: f64) -> String {
        format!("{number:e}")
    }
}

#[cfg(target_arch = "wasm32")]
mod sys {
    use wasm_bindgen::{JsCast as _, JsValue, prelude::wasm_bindgen};

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_name = Number)]
        pub(super) fn parsed(number: &str) -> f64;

        type Number;

        #[wasm_bindgen(method, js_name = toExponential)]
        fn to_exponential(this: &Number) -> String;
    }

    pub(super) fn scientific(number: f64) -> String {
        JsValue::from_f64(number).unchecked_into::<Number>().to_exponential()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_number_is_spelled_as_the_sdk_spells_it() {
        for (number, spelled) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-1234.5, "-1234.5"),
            (0.1 + 0.2, "0.30000000000000004"),
            (0.000_015, "0.000015"),
            (1e-6, "1e-6"),
            (1.5e-7, "1.5e-7"),
            (1e15, "1000000000000000.0"),
            (1_234_567_890_123_456.0, "1234567890123456.0"),
            (1e16, "1e+16"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::NAN, "null"),
        ] {
            assert_eq!(number.to_json_text(), spelled);
        }
    }

    #[test]
    fn only_a_json_number_is_a_float() {
        assert_eq!(float(" -1.5e3 "), Some(-1500.0));
        assert_eq!(float("1e999"), Some(f64::INFINITY));
        assert_eq!(f64::from_json("1e999"), None);
        for other in ["", "+1", ".5", "1.", "0x10", "Infinity", "NaN", "\"1\"", "null", "[1]", "1 2"] {
            assert_eq!(float(other), None, "{other}");
        }
    }

    /// Where the digits are, and how many.
    fn shape(spelled: &str) -> String {
        spelled.replace(|c: char| c.is_ascii_digit(), "0")
    }

    proptest! {
        /// serde_json as the second opinion. Of two spellings that are equally short and equally near, the standard
        /// library takes the upper one, and others the even one.
        #[test]
        fn numbers_are_spelled_as_another_library_does(bits in any::<u64>(), number in -1e20..1e20, small in -1.0..1.0) {
            let few_digits = f64::round(small * 1e4) / 1e4;
            for number in [f64::from_bits(bits), number, number.round(), small, small / 1e6, few_digits] {
                let spelled = number.to_json_text();
                prop_assert_eq!(shape(&spelled), shape(&serde_json::to_string(&number).unwrap()));
                prop_assert!(!number.is_finite() || f64::from_json(&spelled) == Some(number));
            }
        }
    }
}
