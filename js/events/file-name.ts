// The names of events' files.
/** The path of an event's file in the directory of its conversation; `event_file_name` in the core gives the same name. @internal */
export function eventFile(index: number, id: string): string {
  return `events/event-${String(index).padStart(5, "0")}-${id}.json`;
}
