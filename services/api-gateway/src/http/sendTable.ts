import type { Request, Response } from 'express';
import { type CsvColumns, type CsvRow, toCsv } from './csv.ts';

/** A body as rows, for clients that would rather have CSV. */
export type Table = {
  /** ASCII, without quotes. */
  filename: string;
  columns: CsvColumns;
  rows: readonly CsvRow[];
  /** Of a page that has a next one. */
  nextCursor?: string | null;
};

/** Sends the body, or the table where `Accept` prefers text/csv to application/json. */
export function sendTable(request: Request, response: Response, body: unknown, table: Table): void {
  response.vary('Accept');
  if (!prefersCsv(request)) {
    response.json(body);
    return;
  }
  const { filename, columns, rows, nextCursor = null } = table;
  response.set('Content-Disposition', `attachment; filename="${filename}"`);
  if (nextCursor !== null) response.set('Link', `<${nextPage(request.url, nextCursor)}>; rel="next"`);
  response.set('Content-Type', 'text/csv; charset=utf-8').send(toCsv(columns, rows));
}

/** A range with a parameter (`text/csv; charset=utf-8`) is met by a type with that parameter alone. */
const offered = ['json', 'csv', 'application/json; charset=utf-8', 'text/csv; charset=utf-8'];

function prefersCsv(request: Request): boolean {
  return /csv/.test(request.accepts(offered) || '');
}

/** The same request with this cursor, relative to where it was sent. */
function nextPage(url: string, cursor: string): string {
  const { pathname, searchParams } = new URL(url, 'http://gateway');
  searchParams.set('cursor', cursor);
  return `${pathname}?${searchParams.toString()}`;
}
