// calculate: arithmetic with a small recursive descent parser. The text of a model is never evaluated as code.

import { tool } from "threadkeep";

export const calculate = tool<{ expression: string }>({
  name: "calculate",
  description: "Works out an arithmetic expression with + - * / % ^ and parentheses.",
  parameters: {
    type: "object",
    properties: { expression: { type: "string", minLength: 1, maxLength: 500, description: "such as (12 + 30) * 2" } },
    required: ["expression"],
    additionalProperties: false,
  },
  annotations: { title: "Calculate", readOnlyHint: true, openWorldHint: false },
  execute: ({ expression }) => `${expression.trim()} = ${formatNumber(evaluate(expression))}`,
});

type Operator = (left: number, right: number) => number;
const SUMS: Record<string, Operator> = { "+": (a, b) => a + b, "-": (a, b) => a - b };
const PRODUCTS: Record<string, Operator> = { "*": (a, b) => a * b, "/": divide, "%": (a, b) => a % b };

/** Throws a sentence about the first thing that is not arithmetic. */
function evaluate(expression: string): number {
  const tokens = tokenize(expression);
  let at = 0;

  const leftToRight = (operators: Record<string, Operator>, operand: () => number): number => {
    let value = operand();
    for (let apply = operators[tokens[at] ?? ""]; apply; apply = operators[tokens[at] ?? ""]) {
      at += 1;
      value = apply(value, operand());
    }
    return value;
  };
  const sum = (): number => leftToRight(SUMS, product);
  const product = (): number => leftToRight(PRODUCTS, signed);
  const signed = (): number => {
    if (tokens[at] !== "-" && tokens[at] !== "+") return power();
    at += 1;
    return tokens[at - 1] === "-" ? -signed() : signed();
  };
  const power = (): number => {
    const base = operand();
    if (tokens[at] !== "^") return base;
    at += 1;
    return base ** signed();
  };
  const operand = (): number => {
    const token = tokens[at];
    at += 1;
    if (token === "(") {
      const value = sum();
      if (tokens[at] !== ")") throw new Error("a parenthesis is never closed");
      at += 1;
      return value;
    }
    const value = Number(token);
    if (token === undefined) throw new Error("the expression ends too early");
    if (Number.isNaN(value)) throw new Error(`“${token}” stands where a number should be`);
    return value;
  };

  const value = sum();
  if (at < tokens.length) throw new Error(`“${tokens[at]}” stands where the expression should end`);
  return value;
}

function tokenize(expression: string): string[] {
  const plain = expression.replaceAll("×", "*").replaceAll("÷", "/").replaceAll("−", "-").replaceAll("**", "^");
  return plain.match(/\d+\.?\d*(?:e[+-]?\d+)?|\.\d+|\S/gi) ?? [];
}

function divide(left: number, right: number): number {
  if (right === 0) throw new Error("nothing can be divided by zero");
  return left / right;
}

const formatNumber = (value: number): string => String(Number(value.toPrecision(15)));
