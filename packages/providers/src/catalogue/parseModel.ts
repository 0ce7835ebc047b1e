import { type ModelDefinition, modelDefinition } from '@holdfast/domain/modelDefinition';
import { type Document, LineCounter, parseDocument } from 'yaml';
import { modelProblems } from './modelRules.ts';
import { type ModelProblem, shapeProblems } from './shapeProblems.ts';
import { offsetOf } from './yamlPlaces.ts';

export type ParsedModel = { definition: ModelDefinition | null; problems: string[] };

/** One model's YAML. Every problem is told as `file:line: where: what`. */
export function parseModel(file: string, text: string): ParsedModel {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number | undefined) =>
    offset === undefined ? file : `${file}:${lines.linePos(offset).line}`;
  if (document.errors.length > 0) {
    return {
      definition: null,
      problems: document.errors.map((error) => `${at(error.pos[0])}: ${error.message}`),
    };
  }
  const { definition, problems } = read(document);
  const placed = problems.map((problem) => ({ ...problem, offset: offsetOf(document, problem.path) }));
  const inOrder = placed.toSorted((a, b) => (a.offset ?? 0) - (b.offset ?? 0));
  const told = inOrder.map(
    ({ path, message, offset }) => `${at(offset)}: ${path.length > 0 ? `${path.join('.')}: ` : ''}${message}`,
  );
  return { definition, problems: told };
}

function read(document: Document): { definition: ModelDefinition | null; problems: ModelProblem[] } {
  const parsed = modelDefinition.safeParse(document.toJS());
  if (!parsed.success) {
    const isGiven = (path: PropertyKey[]) =>
      (path.length === 0 ? document.contents : document.getIn(path, true)) !== undefined;
    return { definition: null, problems: shapeProblems(parsed.error.issues, isGiven) };
  }
  const found = modelProblems(parsed.data).map(({ path, message }) => ({
    path: asWritten(document, path),
    message,
  }));
  return { definition: found.length === 0 ? parsed.data : null, problems: found };
}

/** The path in the file: the only provider may stand there as `provider`. */
function asWritten(document: Document, path: PropertyKey[]): PropertyKey[] {
  const [first, , ...rest] = path;
  return first === 'providers' && document.has('provider') ? ['provider', ...rest] : path;
}
