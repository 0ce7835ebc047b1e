import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { invalidField } from '@holdfast/domain/errors';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { OpenaiOperation } from '@holdfast/domain/modelOpenai';
import type { z } from 'zod';
import { readForm } from '../../http/form.ts';
import { validate } from '../../http/validate.ts';
import { takeStreamSlot } from '../eventStream.ts';
import { createWithFiles, digestOf, type RequestFiles } from '../requestFiles.ts';
import { type Created, createFrom, type FaceCall } from '../run.ts';
import { type AttachedFile, typedInput, withFiles } from './fileInput.ts';
import { requireNamed } from './models.ts';

/** An endpoint that takes files: as parts of a form, or in JSON as data URIs, URLs or references. */
type FileEndpoint<Fields extends z.ZodType<{ model: string; stream?: boolean | null | undefined }>> = {
  route: string;
  fields: Fields;
  /** The names of fields with files. */
  files: readonly string[];
  operation: OpenaiOperation;
  input(definition: ModelDefinition, fields: z.infer<Fields>): Record<string, unknown>;
  /** Default: the output is not streamed. */
  isStreamed?(definition: ModelDefinition, fields: z.infer<Fields>): boolean;
};

/** Creates an execution from the fields and files of the request. @throws ApiError */
export async function createFromFiles<
  Fields extends z.ZodType<{ model: string; stream?: boolean | null | undefined }>,
>(
  call: FaceCall,
  body: unknown,
  { route, fields: schema, files: names, operation, input, isStreamed }: FileEndpoint<Fields>,
): Promise<{ created: Created; fields: z.infer<Fields> }> {
  const { fields, ...created } = await createWithFiles(call, async (files) => {
    const sent =
      body instanceof Readable
        ? await sentAsForm(body, call.headers, files, names)
        : sentAsJson(body, files, names);
    const fields = validate(schema, sent.fields);
    const { definition } = await requireNamed(call.context, call.caller, fields.model, operation);
    if (fields.stream === true) takeStreamSlot(call);
    const given = typedInput(definition, input(definition, fields));
    const created = await createFrom(call, route, sent.hashed, async () => ({
      model: definition.slug,
      input: withFiles(definition, operation, given, await sent.attach()),
      ...(isStreamed?.(definition, fields) && { stream: true }),
    }));
    return { ...created, fields };
  });
  return { created, fields };
}

type Sent = {
  fields: Record<string, unknown>;
  /** What a repetition of the request repeats. */
  hashed: unknown;
  /** Stores the files that are not stored yet. */
  attach(): Promise<AttachedFile[]>;
};

async function sentAsForm(
  body: Readable,
  headers: IncomingHttpHeaders,
  files: RequestFiles,
  names: readonly string[],
): Promise<Sent> {
  const stored: (AttachedFile & { digest: string })[] = [];
  const fields = await readForm(body, headers, async ({ field, filename, stream }) => {
    const name = field.replace(/\[\]$/, '');
    if (!names.includes(name))
      throw invalidField(name.slice(0, 100), 'UNKNOWN_FIELD', `${name.slice(0, 100)} must not be a file.`);
    // Its place, as a file of another may be stored first.
    const at = stored.push({ field: name, id: '', digest: '' }) - 1;
    stored[at] = { field: name, ...(await files.store(filename, stream)) };
  });
  const attached = stored.map(({ field, id }) => ({ field, id }));
  const digests = stored.map(({ field, digest }) => ({ field, digest }));
  return { fields, hashed: { fields, files: digests }, attach: async () => attached };
}

function sentAsJson(body: unknown, files: RequestFiles, names: readonly string[]): Sent {
  const given = Object.entries(body as object);
  const fields = Object.fromEntries(given.filter(([name]) => !names.includes(singular(name, names))));
  const sources = given.flatMap(([name, value]) => {
    const field = singular(name, names);
    return names.includes(field)
      ? [value].flat().map((one) => ({ field, source: sourceOf(field, one) }))
      : [];
  });
  const digests = sources.map(({ field, source }) => ({ field, digest: digestOf(source) }));
  let attached: Promise<AttachedFile[]> | null = null;
  const store = () =>
    Promise.all(sources.map(async ({ field, source }) => ({ field, id: await files.fetch(field, source) })));
  return {
    fields,
    hashed: { fields, files: digests },
    attach: () => (attached ??= store()),
  };
}

/** `images` is the list of the field `image`. */
function singular(name: string, names: readonly string[]): string {
  return names.includes(name.replace(/s$/, '')) ? name.replace(/s$/, '') : name;
}

/** A text, or an object as chat messages have it: `image_url`, `file_id`. */
function sourceOf(field: string, value: unknown): string {
  const { image_url: image, file_id: id, url } = Object(value);
  const source = [value, id, image, Object(image).url, url].find((one) => typeof one === 'string');
  if (source !== undefined) return source;
  throw invalidField(field, 'INVALID_TYPE', `${field} must be a file: a data URI, or a URL.`);
}
