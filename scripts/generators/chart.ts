import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

export const chartFolder = resolve(import.meta.dirname, '../../deploy/helm/holdfast');

export type Dict = { [key: string]: unknown };
export const isDict = (value: unknown): value is Dict =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const readChartYaml = (file: string) => parse(readFileSync(join(chartFolder, file), 'utf8')) as Dict;

/** The values of a chart that is installed without any. */
export const defaults = (): Dict => readChartYaml('values.yaml');
