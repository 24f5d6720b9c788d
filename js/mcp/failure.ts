// A failure of a connection or a call.
/** A failure whose meaning is known. `message` is for the model and for people. */
export class CallFailure extends Error {
  /**
   * `"session"`: the server does not know this connection any more and has not made the call. `"login"`: it asks for a
   * login. `"lost"`: the connection broke.
   */
  readonly kind: "session" | "login" | "lost" | "failed";

  constructor(kind: CallFailure["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}
