import { type FieldProblem, RequestError } from '../../api.ts';
import type { Draft } from './drafts.ts';
import type { Model } from './models.ts';
import { type Input, requiredOf } from './schema.ts';

type Described = Pick<Model, 'definition'>;

/** A file belongs to the organization that uploaded it. */
export const withoutFiles = (input: Input): Input =>
  Object.fromEntries(
    Object.entries(input).filter(([, value]) => !/"file_[\w-]+"/.test(JSON.stringify(value))),
  );

/** The first example of the schema, without the files, which only a test has. */
function exampleOf({ definition }: Described): Input {
  const { examples } = definition.input_schema;
  const [first = {}] = Array.isArray(examples) ? (examples as Input[]) : [];
  return withoutFiles(first);
}

/** What the form begins with: the draft, or else the example. */
export function inputFor(model: Described, organizationId: string, draft: Draft | null): Input {
  if (draft === null) return exampleOf(model);
  return draft.organizationId === organizationId ? draft.input : withoutFiles(draft.input);
}

/** Costs nothing elsewhere, and its example runs as it is. */
export function isEasy(model: Described): boolean {
  const { providers, input_schema: schema } = model.definition;
  const example = exampleOf(model);
  return (
    providers.every(({ connection }) => connection === 'sandbox') &&
    requiredOf(schema).every((name) => name in example)
  );
}

export const problemsOf = (error: unknown): FieldProblem[] =>
  error instanceof RequestError ? error.details : [];

/** An input with nothing wrong but what is still to be filled in. */
export function isIncomplete(error: unknown): boolean {
  const problems = problemsOf(error);
  return problems.length > 0 && problems.every(({ code }) => code === 'REQUIRED');
}
