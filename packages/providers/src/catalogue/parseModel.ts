import { type ModelDefinition, modelDefinition } from '@holdfast/domain/modelDefinition';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { schemaError } from './schemaErrors.ts';

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

  const told = (path: PropertyKey[], message: string) =>
    `${at(offsetOf(document, path))}: ${path.length > 0 ? `${path.join('.')}: ` : ''}${message}`;
  const parsed = modelDefinition.safeParse(document.toJS());
  if (!parsed.success) {
    return {
      definition: null,
      problems: parsed.error.issues.map((issue) => told(issue.path, issue.message)),
    };
  }
  const bad = schemaError(parsed.data.input_schema);
  if (bad !== null) return { definition: null, problems: [told(['input_schema'], bad)] };
  return { definition: parsed.data, problems: [] };
}

/** Where the value at a path begins, or the nearest one around it when it is missing. */
function offsetOf(document: Document, path: PropertyKey[]): number | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return undefined;
}
