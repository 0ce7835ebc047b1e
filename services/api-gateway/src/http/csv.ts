import type { Request, Response } from 'express';

/** The columns in order. `text` is written by clients or operators; `number` is digits only, including money. */
export type CsvColumns = Readonly<Record<string, 'text' | 'number'>>;
export type CsvRow = Readonly<Record<string, string | number | null>>;

/** CSV by RFC 4180, with a header line and CRLF; null is an empty cell. */
export function toCsv(columns: CsvColumns, rows: readonly CsvRow[]): string {
  const names = Object.keys(columns);
  const lines = rows.map((row) =>
    Object.entries(columns).map(([name, kind]) => {
      const value = String(row[name] ?? '');
      return kind === 'text' ? withoutFormula(value) : value;
    }),
  );
  return [names, ...lines].map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

/** Spreadsheets run cells that start like a formula; a leading apostrophe prevents that. */
function withoutFormula(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A body as rows, for clients that prefer CSV. */
export type Table = {
  /** ASCII, without quotes. */
  filename: string;
  columns: CsvColumns;
  rows: readonly CsvRow[];
  nextCursor?: string | null;
};

/** Sends the table when `Accept` prefers text/csv, otherwise the body as JSON. */
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

/** `accepts` matches a media range with a parameter only to a type with the same parameter. */
const offeredTypes = ['json', 'csv', 'application/json; charset=utf-8', 'text/csv; charset=utf-8'];

function prefersCsv(request: Request): boolean {
  return /csv/.test(request.accepts(offeredTypes) || '');
}

function nextPage(url: string, cursor: string): string {
  const { pathname, searchParams } = new URL(url, 'http://gateway');
  searchParams.set('cursor', cursor);
  return `${pathname}?${searchParams.toString()}`;
}
