// The texts of the messages.
export const messageLabels = {
  messages: "Messages",
  jump: "Jump to the latest",
};
