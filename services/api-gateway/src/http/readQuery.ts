import { invalidField } from '@holdfast/domain/errors';
import { checkJson } from './checkJson.ts';

/** The query as one string per name; a name given twice is refused. */
export function readQuery(url: string): Record<string, string> {
  const start = url.indexOf('?');
  const given = new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of given) {
    if (name in query) throw invalidField(name, 'INVALID_TYPE', `${name} is given more than once.`);
    query[name] = value;
  }
  const problem = checkJson(query, '', 1);
  if (problem) throw invalidField(problem.field, problem.code, problem.message);
  return { ...query };
}
