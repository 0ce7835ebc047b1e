export const openStatuses = ['PENDING', 'PROCESSING', 'AWAITING_WEBHOOK'] as const;
export const executionStatuses = [...openStatuses, 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'] as const;

/** The filters of the list of executions, as the address has them. */
export type Filters = {
  q?: string;
  status?: string;
  model?: string;
  provider?: string;
  organization?: string;
  error?: string;
  from?: string;
  to?: string;
};

const names = ['q', 'status', 'model', 'provider', 'organization', 'error', 'from', 'to'] as const;

export function filtersOf(search: Record<string, unknown>): Filters {
  return textsOf(search, names);
}

export function textsOf(search: Record<string, unknown>, known: readonly string[]) {
  const given = known.filter((name) => typeof search[name] === 'string' && search[name] !== '');
  return Object.fromEntries(given.map((name) => [name, search[name]]));
}

/** What the playground runs, for whom, and what it has run. */
export type PlaygroundSearch = { model?: string; organization?: string; run?: string };

export function playgroundOf(search: Record<string, unknown>): PlaygroundSearch {
  return textsOf(search, ['model', 'organization', 'run']);
}

/** A time as the fields of the filters have it: in the zone of the browser, to the minute. */
export function fieldTime(at: string): string {
  const zoneMs = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(Date.parse(at) - zoneMs).toISOString().slice(0, 16);
}

/** What the filters of times mean; `wrong`: the texts that are no times. */
export function timesOf({ from, to }: Pick<Filters, 'from' | 'to'>): {
  from?: string;
  to?: string;
  wrong: string[];
} {
  const given = Object.entries({ from, to }).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const isTime = ([, text]: [string, string]) => !Number.isNaN(Date.parse(text));
  const times = given.filter(isTime).map(([name, text]) => [name, new Date(text).toISOString()]);
  return { ...Object.fromEntries(times), wrong: given.filter((one) => !isTime(one)).map(([, text]) => text) };
}

export type OrganizationFilters = { q?: string };

export const organizationFiltersOf = (search: Record<string, unknown>): OrganizationFilters =>
  textsOf(search, ['q']);

export type EndpointFilters = { q?: string; state?: string; organization?: string };

export type DeliveryFilters = {
  status?: string;
  event?: string;
  organization?: string;
  endpoint?: string;
  /** `yes` or `no`. */
  attempted?: string;
  from?: string;
  to?: string;
};

export const endpointFiltersOf = (search: Record<string, unknown>): EndpointFilters =>
  textsOf(search, ['q', 'state', 'organization']);

export const deliveryFiltersOf = (search: Record<string, unknown>): DeliveryFilters =>
  textsOf(search, ['status', 'event', 'organization', 'endpoint', 'attempted', 'from', 'to']);
