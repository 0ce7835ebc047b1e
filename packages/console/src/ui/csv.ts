export type Cell = string | number | null | undefined;

/** As RFC 4180 writes it; a spreadsheet reads no cell as a formula. */
function written(cell: Cell): string {
  const plain = String(cell ?? '');
  const inert = typeof cell === 'string' && /^[=+@\t\r]|^-(?![\d.]+$)/.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

export function csvOf<Row>(
  columns: readonly { name: string; key?: string; csv?: (row: Row) => Cell }[],
  rows: readonly Row[],
): string {
  const cells = columns.flatMap(({ name, key = name, csv }) => (csv ? [{ key, csv }] : []));
  const lines = [cells.map(({ key }) => key), ...rows.map((row) => cells.map(({ csv }) => csv(row)))];
  return lines.map((line) => `${line.map(written).join(',')}\r\n`).join('');
}

/** Gives the browser a file to save. */
export function download(name: string, content: Blob | string, type = 'text/csv'): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
