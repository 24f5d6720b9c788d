"use client";
import { useEffect } from "react";
import { converse } from "../converse.js";

export function Client({ model }) {
  useEffect(() => {
    converse(`${model}/v1`).then(
      (answer) => (globalThis.outcome = { answer }),
      (error) => (globalThis.outcome = { error: `${error.name}: ${error.message}` }),
    );
  }, [model]);
  return null;
}
