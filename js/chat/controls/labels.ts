// The texts of the composer, the approvals and the actions of a message.
export const controlLabels = {
  send: "Send",
};
