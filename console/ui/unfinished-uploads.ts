import { ApiFailure, call } from './api.js';
import { begunUploads, forgetBegun, type Begun } from './begun-uploads.js';
import { bytesText, el } from './dom.js';
import { toast } from './toast.js';
import { addTransfer } from './transfer-list.js';
import { enqueueAll } from './transfers.js';

/** Large files that were begun and are not there yet, in the list of transfers. */

/**
 * Lists them, each with what is there already.
 *
 * @param onDone told when one is complete
 */
export async function showUnfinished(onDone: (container: string) => void) {
  for (const file of begunUploads()) {
    const plan = await call('POST', '/api/files/uploads', { ...file }).catch((error: unknown) => {
      // Its container is gone, and the segments with it.
      if (error instanceof ApiFailure && error.code === 'no_such_container') forgetBegun(file);
      return null;
    });
    if (plan === null) continue;
    const sent = Math.min(plan.present.length * plan.segment_bytes, file.size_bytes);
    show(file, sent, onDone);
  }
}

function show(file: Begun, sent: number, onDone: (container: string) => void) {
  const line = addTransfer(file.name, {
    unit: 'bytes',
    onCancel: () => undefined,
    onDismiss: () => forgetBegun(file),
  });
  const size = bytesText(file.size_bytes);
  const text = `${bytesText(sent)} of ${size} uploaded. Choose the file again to resume.`;
  line.progress(sent, file.size_bytes);
  line.rest(text, ['Choose file', () => choose(file, line, onDone)]);
}

function choose(file: Begun, line: { remove: () => void }, onDone: (container: string) => void) {
  const picker = el('input', { type: 'file' });
  picker.onchange = () => {
    const [chosen] = picker.files ?? [];
    if (chosen === undefined) return;
    if (chosen.size !== file.size_bytes || chosen.lastModified !== file.mtime_ms) {
      const text = `This is not the same file: “${file.name}” had ${file.size_bytes.toLocaleString()} bytes, and has not been changed since.`;
      toast(text, { state: 'crit' });
      return;
    }
    line.remove();
    const found = [{ path: file.name, open: async () => chosen }];
    void enqueueAll(file.container, '', found, () => onDone(file.container));
  };
  picker.click();
}
