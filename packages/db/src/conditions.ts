/** One filter of a list; `?` in `sql` stands for what it is compared with. */
export type Condition<Filter> = { name: keyof Filter; sql: string };

/**
 * The conditions that a filter gives, as SQL to go behind others, with their values after the `taken` parameters before
 * them. `key` tells statements with other conditions apart: each is planned for what it is asked.
 */
export function givenConditions<Filter>(conditions: Condition<Filter>[], filter: Filter, taken: number) {
  const given = conditions.filter(({ name }) => filter[name] !== undefined);
  return {
    key: conditions.map((one) => (given.includes(one) ? '1' : '0')).join(''),
    sql: given.map(({ sql }, index) => ` AND ${sql.replaceAll('?', `$${taken + 1 + index}`)}`).join(''),
    values: given.map(({ name }) => filter[name]),
  };
}
