/** Writes the files for operators' own Prometheus and Grafana anew: `npm run shipped`. */

import { writeFileSync } from 'node:fs';

const FILES = new URL('../../dist/console/surfaces/monitor/shipped/files.js', import.meta.url);

/** @type {{ shippedFiles(): Readonly<Record<string, string>> }} */
const { shippedFiles } = await import(FILES.href);
for (const [path, text] of Object.entries(shippedFiles())) writeFileSync(path, text);
