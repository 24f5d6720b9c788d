// How the window of a login tells the page that has opened it.
/** The name of the channel on which a login window reports its end. @internal */
export const loginChannel = "threadkeep-mcp-login";
