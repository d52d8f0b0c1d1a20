import type { ContainerRef, ManifestInput, ObjectRef, Segment } from '../../src/backend/backend.js';
import {
  CONTEXT,
  createdBy,
  type Fixture,
  freshObject,
  inputOf,
  LARGE,
  patternBytes,
  SMALL,
} from './fixture.js';

/** Objects of these sizes that differ from each other, and what they are together. */
export async function putSegments(
  { backend }: Fixture,
  ref: ContainerRef,
  sizes: readonly number[],
): Promise<{ segments: Segment[]; whole: Buffer }> {
  const bodies = sizes.map((size, i) => patternBytes(size, i * 7));
  const segments = await Promise.all(
    bodies.map(async (body, i) => {
      const object = `large/upload/${i + 1}`;
      const put = await backend.putObject(CONTEXT, { ...ref, object }, inputOf(body));
      return { container: ref.container, object, size: body.length, etag: createdBy(put).etag };
    }),
  );
  return { segments, whole: Buffer.concat(bodies) };
}

export function manifestOf(
  segments: readonly Segment[],
  more: Partial<ManifestInput> = {},
): ManifestInput {
  const etag = `whole-${segments.length}`;
  return { segments, etag, contentType: 'application/large', ...more };
}

/** Where the gateway has the segments: a store may know large objects by this companion. */
export async function companionOf(
  { backend }: Fixture,
  { account, container }: ContainerRef,
): Promise<ContainerRef> {
  const companion = { account, container: `${container}+segments` };
  await backend.createContainer(CONTEXT, companion, {});
  return companion;
}

/** A large object of a small, an empty, a large and another small segment. */
export async function freshLargeObject(
  fixture: Fixture,
  more: Partial<ManifestInput> = {},
): Promise<{ ref: ObjectRef; segments: Segment[]; whole: Buffer }> {
  const ref = await freshObject(fixture, 'large');
  const parts = await companionOf(fixture, ref);
  const { segments, whole } = await putSegments(fixture, parts, [SMALL, 0, LARGE, 7]);
  const put = await fixture.backend.putManifest(CONTEXT, ref, manifestOf(segments, more));
  createdBy(put);
  return { ref, segments, whole };
}
