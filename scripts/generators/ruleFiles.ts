import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

const folder = resolve(import.meta.dirname, '../../deploy/observability/rules');

export type Rule = {
  alert?: string;
  record?: string;
  expr: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
};
export type Groups = { groups: { name: string; rules: Rule[] }[] };

/** The groups of a file of rules of deploy/observability. */
export const groupsOf = (file: string) => (parse(readFileSync(join(folder, file), 'utf8')) as Groups).groups;
