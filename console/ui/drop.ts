export interface Found {
  path: string;
  open: () => Promise<File>;
  problem?: undefined;
}

export interface Missing {
  path: string;
  problem: string;
  open?: undefined;
}

/**
 * The chosen files and folders, as they are found:
 * - of a file `{ path, open }`; `open` resolves with the File, and fails once it is gone
 * - of a folder that gives no files, or not all, `{ path, problem }`
 *
 * Files are read only as they are taken, so that a folder of any size costs little memory.
 */
async function* dropped(entries: readonly FileSystemEntry[]): AsyncGenerator<Found | Missing> {
  for (const entry of entries) yield* walk(entry, '');
}

async function* walk(entry: FileSystemEntry, prefix: string): AsyncGenerator<Found | Missing> {
  // Browsers tell nothing of such a name, and do not open what it is of.
  if (entry.name === '') {
    yield { path: prefix || '(top)', problem: 'contains a name that is not valid UTF-8' };
    return;
  }
  const path = prefix + entry.name;
  if (entry.isFile) {
    const file = entry as FileSystemFileEntry;
    yield { path, open: () => new Promise((resolve, reject) => file.file(resolve, reject)) };
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  let count = 0;
  try {
    for (;;) {
      // A hundred at a time.
      const some: FileSystemEntry[] = await new Promise((resolve, reject) =>
        reader.readEntries(resolve, reject),
      );
      if (some.length === 0) break;
      count += some.length;
      for (const one of some) yield* walk(one, `${path}/`);
    }
  } catch {
    yield { path: `${path}/`, problem: 'could not be read' };
    return;
  }
  if (count === 0) yield { path: `${path}/`, problem: 'empty' };
}

/** The choice in an `<input type="file">`, in the same shape: folders without files never show. */
export async function* picked(input: HTMLInputElement): AsyncGenerator<Found> {
  const files = [...(input.files ?? [])];
  // Cleared, so that the same choice again is a change again.
  input.value = '';
  for (const file of files) {
    yield { path: pathOf(file), open: () => Promise.resolve(file) };
  }
}

/**
 * Browsers turn each backslash of a relative path into a slash; that of the file's own name stays.
 */
function pathOf({ name, webkitRelativePath: path }: File) {
  return path.slice(0, Math.max(0, path.length - name.length)) + name;
}

/** @param take is given what was dropped, as soon as it was */
export function acceptDrops(
  target: HTMLElement,
  take: (found: AsyncGenerator<Found | Missing>) => void,
) {
  // Beside the target the browser would leave the page, and show the file.
  const hold = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  };
  window.addEventListener('dragover', hold);
  window.addEventListener('drop', hold);
  target.ondragover = ({ dataTransfer }) => {
    if (dataTransfer?.types.includes('Files')) target.classList.add('drop');
  };
  target.ondragleave = () => target.classList.remove('drop');
  target.ondrop = ({ dataTransfer }) => {
    target.classList.remove('drop');
    // The list is empty as soon as the event is over.
    const items = [...(dataTransfer?.items ?? [])];
    const entries = items.map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
    if (entries.length > 0) take(dropped(entries));
  };
}
