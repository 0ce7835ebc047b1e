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

export const moneyRanges = ['24h', '7d', '30d', 'custom'] as const;
export type MoneyRange = (typeof moneyRanges)[number];
export const moneyGroupings = ['model', 'provider', 'organization', 'time'] as const;
export type MoneyGrouping = (typeof moneyGroupings)[number];

/** What the page of money shows, as its address has it. */
export type MoneySearch = {
  range?: MoneyRange;
  by?: MoneyGrouping;
  model?: string;
  provider?: string;
  organization?: string;
  from?: string;
  to?: string;
};

export function moneySearchOf(search: Record<string, unknown>): MoneySearch {
  const { range, by, ...given } = textsOf(search, [...names, 'range', 'by']) as Record<string, string>;
  return {
    ...textsOf(given, ['model', 'provider', 'organization', 'from', 'to']),
    ...(moneyRanges.includes(range as MoneyRange) && { range: range as MoneyRange }),
    ...(moneyGroupings.includes(by as MoneyGrouping) && { by: by as MoneyGrouping }),
  };
}

const hourMs = 3_600_000;
const rangeMs = { '24h': 24 * hourMs, '7d': 7 * 24 * hourMs, '30d': 30 * 24 * hourMs };

export const overviewRanges = ['hour', '24h', '7d', '30d'] as const;
export type OverviewSearch = { range?: (typeof overviewRanges)[number] };

export function overviewSearchOf({ range }: Record<string, unknown>): OverviewSearch {
  const found = overviewRanges.find((one) => one === range && one !== 'hour');
  return found ? { range: found } : {};
}

/** The query of `GET /money`. */
export function moneyQuery(search: MoneySearch, nowMs: number) {
  const { range = '24h', by = 'model', model, provider, organization } = search;
  const { from, to } =
    range === 'custom' ? timesOf(search) : { from: new Date(nowMs - rangeMs[range]).toISOString() };
  return { group_by: by, model, provider, organization_id: organization, from, to };
}

/** `low`: only those whose balance runs low. */
export type OrganizationFilters = { q?: string; sort?: string; low?: string };

export const organizationFiltersOf = (search: Record<string, unknown>): OrganizationFilters =>
  textsOf(search, ['q', 'sort', 'low']);

export type EndpointFilters = { q?: string; state?: string; organization?: string };

export type ReviewFilters = { state?: string };

export const reviewFiltersOf = (search: Record<string, unknown>): ReviewFilters => textsOf(search, ['state']);

/** `what`: a part of the path of the API that was called. */
export type ActionFilters = {
  who?: string;
  what?: string;
  organization?: string;
  from?: string;
  to?: string;
};

export const actionFiltersOf = (search: Record<string, unknown>): ActionFilters =>
  textsOf(search, ['who', 'what', 'organization', 'from', 'to']);

/** The query of `GET /actions`. */
export function actionQuery(filters: ActionFilters) {
  const { from, to } = timesOf(filters);
  return {
    actor: filters.who,
    action: filters.what,
    organization_id: filters.organization,
    from,
    to,
    limit: 50,
  };
}

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

/** What the search field means: an id or its beginning, `name=value` of the metadata, or an idempotency key, also in base64. */
export function searched(q: string | undefined): Record<string, string> {
  if (!q) return {};
  if (/^exec_[0-9a-f-]*$/.test(q)) return { id_prefix: q };
  return metadataOf(q) ?? { idempotency_key: q };
}

/** The member of the metadata that a text such as `order=A-17` names; null: it names none. */
export function metadataOf(text: string | undefined) {
  const [, name, value] = /^([^=]+)=(?!=*$)(.+)$/.exec(text ?? '') ?? [];
  return name && value ? { metadata_name: name.trim(), metadata_value: value.trim() } : null;
}

/** The query of `GET /executions`. */
export function executionQuery(filters: Filters) {
  const { from, to } = timesOf(filters);
  return {
    ...searched(filters.q),
    status: filters.status,
    model: filters.model,
    provider: filters.provider,
    organization_id: filters.organization,
    error_code: filters.error,
    created_after: from,
    created_before: to,
    limit: 50,
  };
}

const answers: Readonly<Record<string, string>> = { yes: 'true', no: 'false' };

/** The query of lists of deliveries, without whose they are. */
export function deliveryQuery(filters: DeliveryFilters) {
  const { from, to } = timesOf(filters);
  return {
    status: filters.status,
    event_type: filters.event,
    attempted: answers[filters.attempted ?? ''],
    created_after: from,
    created_before: to,
  };
}

/** The body that sends again what failed and matches, since then unless the filters say since when. */
export function recoveryBody(filters: DeliveryFilters, since: string) {
  const { from, to } = timesOf(filters);
  return {
    since: from ?? since,
    ...(to && { until: to }),
    ...(filters.organization && { organization_id: filters.organization }),
    ...(filters.endpoint && { endpoint_id: filters.endpoint }),
    ...(filters.event && { event_type: filters.event }),
  };
}
