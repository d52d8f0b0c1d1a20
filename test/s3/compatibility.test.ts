import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ENDPOINT_ROWS, type ResourceType } from '../../src/s3/endpoint/table.js';

const RESOURCES: readonly ResourceType[] = ['service', 'bucket', 'object'];

describe('docs/s3-compatibility.md', () => {
  const document = readFileSync('docs/s3-compatibility.md', 'utf8');

  for (const resource of RESOURCES) {
    it(`lists the operations on ${resource}s as the endpoint table has them`, () => {
      expect(documented(document, resource)).to.deep.equal(implemented(resource));
    });
  }
});

/** `operation, request, support` of each row of the section's table. */
function documented(document: string, resource: ResourceType): string[] {
  const title = `## ${resource.charAt(0).toUpperCase()}${resource.slice(1)} operations\n`;
  const section = document.split(title)[1]?.split('\n## ')[0] ?? '';
  const rows = section.matchAll(
    /^\| (?<name>\w+) \| `(?<request>[^`]+)` \| (?<support>yes|501) \|/gm,
  );
  return [...rows].map(
    ({ groups }) => `${groups?.name ?? ''}, ${groups?.request ?? ''}, ${groups?.support ?? ''}`,
  );
}

function implemented(resource: ResourceType): string[] {
  return ENDPOINT_ROWS[resource].map(
    ([subresource, method, operation, supported, refinement = '']) => {
      const parameters = [subresource, refinement.startsWith('?') ? refinement.slice(1) : ''];
      const query = parameters.filter((name) => name !== '').join('&');
      const header = refinement === '' || refinement.startsWith('?') ? '' : ` with ${refinement}`;
      const target = `${method} ${pathOf(resource)}${query === '' ? '' : `?${query}`}${header}`;
      return `${operation}, ${target}, ${supported ? 'yes' : '501'}`;
    },
  );
}

function pathOf(resource: ResourceType): string {
  return { service: '/', bucket: '/bucket', object: '/bucket/key' }[resource];
}
