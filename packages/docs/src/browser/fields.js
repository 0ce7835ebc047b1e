import { made } from './site.js';

const bounds = {
  minimum: (value) => `at least ${value}`,
  exclusiveMinimum: (value) => `more than ${value}`,
  maximum: (value) => `at most ${value}`,
  exclusiveMaximum: (value) => `less than ${value}`,
  multipleOf: (value) => `a multiple of ${value}`,
  minLength: (value) => `at least ${value} characters`,
  maxLength: (value) => `at most ${value} characters`,
  minItems: (value) => `at least ${value} items`,
  maxItems: (value) => `at most ${value} items`,
  pattern: (value) => `matches ${value}`,
  enum: (values) => values.join(', '),
  const: (value) => JSON.stringify(value),
};

const boundsOf = (schema) =>
  Object.entries(bounds).flatMap(([name, words]) => (name in schema ? [words(schema[name])] : []));

function typeOf(schema) {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return [...new Set(variants.map(typeOf))].join(' or ');
  if (schema.format === 'file') return 'file';
  if (schema.type === 'array') return schema.items ? `list of ${typeOf(schema.items)}` : 'list';
  if (schema.enum) return 'one of';
  return [schema.type ?? 'any'].flat().join(' or ');
}

/** A row for each field of a schema, those that are required first, and for those inside it. */
function rowsOf({ properties = {}, required = [] }, prefix = '') {
  const isFirst = ([name]) => required.includes(name);
  const fields = Object.entries(properties);
  const ordered = [...fields.filter(isFirst), ...fields.filter((field) => !isFirst(field))];
  return ordered.flatMap(([name, schema]) => {
    const inner = schema.type === 'array' ? schema.items : schema;
    const path = `${prefix}${name}`;
    const all = [...boundsOf(schema), ...(inner === schema ? [] : boundsOf(inner ?? {}))];
    const preset = schema.default === undefined ? '' : JSON.stringify(schema.default);
    const row = {
      Name: path,
      Type: typeOf(schema),
      Default: required.includes(name) ? 'required' : preset,
      Bounds: all.join('; '),
      Meaning: schema.description ?? schema.title ?? '',
    };
    return [row, ...rowsOf(inner ?? {}, `${path}${inner === schema ? '.' : '[].'}`)];
  });
}

/** The fields of a schema as a table: name, type, default, bounds and meaning. Null: it names none. */
export function fieldsTable(schema, label) {
  const rows = rowsOf(schema);
  if (rows.length === 0) return null;
  const columns = Object.keys(rows[0]);
  const cells = (row) =>
    columns.map((column) => {
      const cell = made(
        'td',
        {},
        column === 'Name' ? made('code', { textContent: row[column] }) : row[column],
      );
      cell.dataset.label = column;
      return cell;
    });
  const head = made('tr', {}, ...columns.map((textContent) => made('th', { textContent, scope: 'col' })));
  const body = rows.map((row) => made('tr', {}, ...cells(row)));
  const table = made('table', {}, made('thead', {}, head), made('tbody', {}, ...body));
  return made('div', { className: 'table wide', tabIndex: 0, role: 'group', ariaLabel: label }, table);
}
