// The files of a folder that was dropped on the page, with their paths in it.

/** Files in folders that nobody means to import would take long to read. */
const most = 200_000;

export async function filesIn(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const files: File[] = [];
  const open: FileSystemEntry[] = [folder];
  for (let entry = open.pop(); entry !== undefined && files.length < most; entry = open.pop()) {
    if (entry.isDirectory) open.push(...(await entriesOf(entry as FileSystemDirectoryEntry)));
    else files.push(withPath(await fileOf(entry as FileSystemFileEntry), entry.fullPath.replace(/^\//, "")));
  }
  return files;
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> => new Promise((resolve, reject) => entry.file(resolve, reject));

/** A reader gives some of them at a time, and none at the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

/** As a file of a folder that was chosen has it. */
const withPath = (file: File, path: string): File => Object.defineProperty(file, "webkitRelativePath", { value: path });
