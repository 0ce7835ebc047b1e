import type { Request, Response } from 'express';

/** The columns in order. `text` is what clients or operators wrote; `number` is plain digits, money included. */
export type CsvColumns = Readonly<Record<string, 'text' | 'number'>>;
export type CsvRow = Readonly<Record<string, string | number | null>>;

/** RFC 4180: a header line, CRLF after each line, cells quoted where they must be; null is an empty cell. */
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

/** Spreadsheets run what begins like a formula, whoever wrote it; not so behind an apostrophe. */
function withoutFormula(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

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
