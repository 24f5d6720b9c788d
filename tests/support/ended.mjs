// The end of a run without what it took: times differ from run to run.

/** The status and the final response of a result of `run()`. */
export function endOf({ status, finalResponse }) {
  return { status, finalResponse };
}
