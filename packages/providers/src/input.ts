import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { FormPart } from '@holdfast/egress/multipart';
import type { FilePart, Submission } from './interface.ts';

export type PreparedInput = Pick<Submission, 'input' | 'parts'>;

/** Omits, renames and sets top-level properties as the route says; set values win. */
export function changeInput({ input, parts }: PreparedInput, changes: ProviderRoute['input']): PreparedInput {
  if (!changes) return { input, parts };
  const { omit, set } = changes;
  const renames = new Map(Object.entries(changes.rename));
  const theirs = (name: string) => renames.get(name) ?? name;
  const kept = Object.entries(input).filter(([name]) => !omit.includes(name));
  return {
    input: { ...Object.fromEntries(kept.map(([name, value]) => [theirs(name), value])), ...set },
    parts: parts
      .filter(({ path }) => !omit.includes(String(path[0])))
      .map((part) => ({ ...part, path: [theirs(String(part.path[0])), ...part.path.slice(1)] }))
      .filter(({ path }) => !Object.hasOwn(set, String(path[0]))),
  };
}

/** The parts of a form: lists as `name[]`, objects as JSON, and files in place of their ids. */
export function formOf(
  fields: Record<string, unknown>,
  run: Pick<Submission, 'input' | 'parts'>,
): FormPart[] {
  const files = new Map(run.parts.map((file) => [at(run.input, file.path), file]));
  return Object.entries(fields).flatMap(([name, value]) =>
    Array.isArray(value)
      ? value.map((item: unknown) => part(`${name}[]`, item, files))
      : value === undefined || value === null
        ? []
        : [part(name, value, files)],
  );
}

function part(name: string, value: unknown, files: Map<unknown, FilePart>): FormPart {
  const file = files.get(value);
  if (file) return { name, ...file };
  return { name, value: typeof value === 'string' ? value : JSON.stringify(value) };
}

function at(input: unknown, path: FilePart['path']): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[step] : undefined,
    input,
  );
}
