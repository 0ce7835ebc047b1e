import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Submission } from './interface.ts';

/** An input and the files that it sends as parts of a form. */
export type PreparedInput = Pick<Submission, 'input' | 'parts'>;

/** Top-level properties left out, renamed and set as the route says; what is set wins. Parts follow their properties. */
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
