import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../api.ts';
import { Meter } from '../charts.tsx';
import { duration, Field, Id, inputLook } from '../parts.tsx';
import { text } from '../strings.ts';

type Endpoint = Schemas['AnyWebhookEndpoint'];

export const eventTypes = [
  'execution.started',
  'execution.completed',
  'execution.failed',
  'execution.cancelled',
  'execution.expired',
  'endpoint.failing',
  'endpoint.deactivated',
  'endpoint.recovered',
] as const;

const tab = 'border-b-2 border-transparent px-1 py-2 text-soft hover:text-ink';
const activeTab = { className: 'border-accent! font-medium text-ink' };

export function WebhookTabs() {
  return (
    <nav aria-label={text.webhooks.title} className="mb-4 flex gap-5 border-line border-b">
      <Link
        to="/webhooks"
        className={tab}
        activeProps={activeTab}
        activeOptions={{ exact: true, includeSearch: false }}
      >
        {text.webhooks.endpoints}
      </Link>
      <Link
        to="/webhooks/deliveries"
        className={tab}
        activeProps={activeTab}
        activeOptions={{ includeSearch: false }}
      >
        {text.webhooks.deliveries}
      </Link>
    </nav>
  );
}

export function stateOf({ is_active: isActive, failing_since: failingSince }: Endpoint): string {
  if (isActive) return failingSince === null ? 'active' : 'failing';
  return failingSince === null ? 'inactive' : 'deactivated';
}

export function SuccessRate({ of: { attempts, succeeded } }: { of: Schemas['EndpointActivity'] }) {
  if (attempts === 0) return <span className="text-soft">{text.webhooks.noAttempts}</span>;
  const share = succeeded / attempts;
  return (
    <span className="block min-w-20">
      <span className="tabular-nums">{`${floored(share)} %`}</span>
      <span className="ml-1.5 text-soft text-xs">{text.webhooks.ofAttempts(succeeded, attempts)}</span>
      <Meter share={share} look={share < 0.9 ? 'bad' : 'good'} />
    </span>
  );
}

/** 199 of 200 is not 100 %. */
const floored = (share: number) => Math.floor(share * 1000) / 10;

export function Latency({ of: { p50_ms: p50, p95_ms: p95 } }: { of: Schemas['EndpointActivity'] }) {
  if (p50 === null) return <span className="text-soft">–</span>;
  return <span className="whitespace-nowrap tabular-nums">{`${duration(p50)} / ${duration(p95)}`}</span>;
}

export function OrganizationLink({ id }: { id: string }) {
  return (
    <Link to="/organizations/$id" params={{ id }} className="underline decoration-line">
      <Id of={`${id.slice(0, 12)}…${id.slice(-6)}`} />
    </Link>
  );
}

export function Typed(props: {
  label: string;
  value: string | undefined;
  type?: string;
  onChange: (value: string) => void;
}) {
  const { label, value = '', type = 'text', onChange } = props;
  return (
    <Field label={label}>
      <input
        type={type}
        key={value}
        defaultValue={value}
        onBlur={(event) => event.currentTarget.value !== value && onChange(event.currentTarget.value.trim())}
        onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
        className={`${inputLook} h-9`}
      />
    </Field>
  );
}

export function Chosen(props: {
  label: string;
  any: string;
  value: string | undefined;
  of: readonly string[];
  onChange: (value: string) => void;
}) {
  const { label, any, value = '', of, onChange } = props;
  return (
    <Field label={label}>
      <select
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        className={`${inputLook} h-9`}
      >
        <option value="">{any}</option>
        {of.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </Field>
  );
}

export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="divide-y divide-line">
      {of.map(([name, value]) => (
        <div
          key={name}
          className="flex flex-wrap justify-between gap-x-6 gap-y-0.5 py-2 first:pt-0 last:pb-0"
        >
          <dt className="text-soft">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
