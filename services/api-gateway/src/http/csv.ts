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
