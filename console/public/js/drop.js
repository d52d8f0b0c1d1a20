/** Files and folders that are dropped: `[path, File]`, read folder by folder. */
async function* droppedFiles(transfer) {
  // The list is empty as soon as the event is over.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  for (const entry of entries) yield* walk(entry, '');
}

async function* walk(entry, prefix) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    yield [prefix + entry.name, file];
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const one of some) yield* walk(one, `${prefix}${entry.name}/`);
  }
}

/** @param accepts - whether files can go anywhere now @param add - takes a path and its file */
export function acceptDrops(target, accepts, add) {
  target.ondragover = (event) => {
    event.preventDefault();
    target.classList.add('drop');
  };
  target.ondragleave = () => target.classList.remove('drop');
  target.ondrop = async (event) => {
    event.preventDefault();
    target.classList.remove('drop');
    if (!accepts()) return;
    for await (const [path, file] of droppedFiles(event.dataTransfer)) add(path, file);
  };
}
