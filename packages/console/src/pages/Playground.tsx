import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { isNotFound, read, type Schemas, upload } from '../api.ts';
import { useSession } from '../features/access/session.tsx';
import { Run } from '../features/executions/Run.tsx';
import { Cost } from '../features/models/cost.tsx';
import { draftOf } from '../features/models/drafts.ts';
import { inputFor, isEasy, isIncomplete, problemsOf, withoutFiles } from '../features/models/input.ts';
import { ModelSwitch } from '../features/models/modelActions.tsx';
import { isRunnable, type Model, useModels } from '../features/models/models.ts';
import { pathOf, useEstimate, useRun } from '../features/models/running.ts';
import { type Input, objectOf } from '../features/models/schema.ts';
import { SchemaForm } from '../features/models/schemaForm.tsx';
import { JsonField } from '../features/models/valueFields.tsx';
import { OrganizationField } from '../features/organizations/organizations.tsx';
import type { PlaygroundSearch } from '../features/search/filters.ts';
import { modelEditorText } from '../strings/modelEditor.ts';
import { text } from '../strings.ts';
import { Card } from '../ui/card.tsx';
import { Field, inputLook } from '../ui/field.tsx';
import { Heading } from '../ui/heading.tsx';
import { Empty, Problem, Skeleton } from '../ui/states.tsx';

type Organization = Schemas['Organization'];

export function Playground() {
  const search = useSearch({ from: '/playground' });
  const models = useModels();
  const organization = useOrganization(search.organization);
  const isUnknown = isNotFound(organization.error);
  const error = models.error ?? (isUnknown ? null : organization.error);
  const offered = (models.data ?? []).filter(({ isActive }) => isActive);
  const easy = offered.find(isEasy) ?? offered[0];
  const wanted = models.data?.find(({ slug }) => slug === search.model);
  const model = search.model === undefined ? easy : wanted && isRunnable(wanted) ? wanted : undefined;
  const isLoaded = models.data !== undefined && !organization.isPending;
  return (
    <>
      <Heading title={text.nav.playground} />
      <p className="mt-1 mb-4 text-soft">{text.playground.about}</p>
      {error && (
        <Problem error={error} onRetry={() => void Promise.all([models.refetch(), organization.refetch()])} />
      )}
      {!error && !isLoaded && <Skeleton rows={8} />}
      {isLoaded && !easy && !model && <Empty title={text.models.noneOffered} hint={text.models.emptyHint} />}
      {isLoaded && easy && !model && <NotOffered slug={search.model ?? ''} offered={offered} />}
      {isLoaded && model && organization.data === null && (
        <Empty title={text.organizations.empty} hint={text.organizations.emptyHint} />
      )}
      {isUnknown && model && <UnknownOrganization id={search.organization ?? ''} />}
      {model && organization.data && (
        <Workbench key={model.slug} model={model} offered={offered} organization={organization.data} />
      )}
    </>
  );
}

/** Another model is run only if the operator chooses it: it may cost something else. */
function NotOffered({ slug, offered }: { slug: string; offered: Model[] }) {
  const navigate = useNavigate();
  const search = useSearch({ from: '/playground' });
  return (
    <Card title={text.playground.request}>
      <p role="status" className="mb-4">
        {text.playground.notOffered(slug)}{' '}
        <Link to="/models/$slug" params={{ slug }} className="underline">
          {text.playground.aboutModel}
        </Link>
      </p>
      <ModelField
        value=""
        offered={offered}
        onChange={(model) =>
          void navigate({ to: '/playground', search: { ...search, model }, replace: true })
        }
      />
    </Card>
  );
}

function UnknownOrganization({ id }: { id: string }) {
  const navigate = useNavigate();
  const search = useSearch({ from: '/playground' });
  return (
    <Card title={text.playground.request}>
      <p role="status" className="mb-4 wrap-anywhere">
        {text.playground.noOrganization(id)}
      </p>
      <OrganizationField
        label={text.playground.organization}
        value={undefined}
        onChange={(organization) =>
          void navigate({ to: '/playground', search: { ...search, organization }, replace: true })
        }
      />
    </Card>
  );
}

function ModelField(props: {
  value: string;
  /** A disabled one is listed only while it is tested. */
  tested?: Model | undefined;
  offered: Model[];
  onChange: (slug: string) => void;
}) {
  const { value, tested, offered, onChange } = props;
  const choices = tested ? [tested, ...offered] : offered;
  return (
    <Field label={text.playground.model}>
      <select
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        className={inputLook}
      >
        {value === '' && (
          <option value="" disabled>
            {text.playground.choose}
          </option>
        )}
        {choices.map(({ slug, name }) => (
          <option key={slug} value={slug}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  );
}

/**
 * The one that is asked for, or else ran something last and so has a balance, or else the newest; null: there is none.
 * It is read once for each visit: an organization that ran something since must not become the one that pays.
 */
function useOrganization(wanted: string | undefined) {
  return useQuery({
    queryKey: ['organization to run for', wanted],
    queryFn: async () => {
      const id = wanted ?? (await firstChoice());
      return id === undefined ? null : await read<Organization>(pathOf(id));
    },
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

async function firstChoice(): Promise<string | undefined> {
  const [executions, organizations] = await Promise.all([
    read<Schemas['AnyExecutionPage']>('/executions', { limit: 1 }),
    read<Schemas['OrganizationPage']>('/organizations', { limit: 1 }),
  ]);
  return executions.data[0]?.organization_id ?? organizations.data[0]?.id;
}

type WorkbenchProps = { model: Model; offered: Model[]; organization: Organization };

function Workbench({ model, offered, organization }: WorkbenchProps) {
  const navigate = useNavigate();
  const { run, organization: wanted = organization.id } = useSearch({ from: '/playground' });
  const { data: session } = useSession();
  const draft = draftOf(model.slug, session?.id, sessionStorage);
  const [input, setInput] = useState(() => inputFor(model, wanted, draft.read()));
  const edit = (changed: Input, organizationId = wanted) => {
    setInput(changed);
    draft.keep({ organizationId, input: changed });
  };
  const [isJson, setJson] = useState(false);
  const estimate = useEstimate(wanted, model.slug, input);
  const running = useRun(wanted, model, input);
  const set = (changed: PlaygroundSearch) =>
    void navigate({
      to: '/playground',
      search: { model: model.slug, organization: wanted, ...changed },
      replace: true,
    });
  const isChanging = organization.id !== wanted;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isChanging) return;
    const id = await running.start();
    if (id === null) return;
    draft.drop();
    set({ run: id });
  };
  const chooseOrganization = (id: string) => {
    if (!isJson && id !== wanted) edit(withoutFiles(input), id);
    set({ organization: id });
  };
  return (
    <form
      className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]"
      onSubmit={(event) => void submit(event)}
    >
      <div className="min-w-0 space-y-4">
        <RequestCard model={model} offered={offered} onModel={(slug) => set({ model: slug })}>
          <OrganizationField
            label={text.playground.organization}
            value={wanted}
            isRequired
            onChange={chooseOrganization}
          />
        </RequestCard>
        <Card title={text.execution.input} aside={<AsJson isChecked={isJson} onChange={setJson} />}>
          {isJson ? (
            <label className="block">
              <span className="sr-only">{text.execution.input}</span>
              <JsonField id="input" rows={14} value={input} onChange={(given) => edit(objectOf(given))} />
            </label>
          ) : (
            <SchemaForm
              key={wanted}
              schema={model.definition.input_schema}
              value={input}
              problems={problemsOf(running.error ?? (isIncomplete(estimate.error) ? null : estimate.error))}
              upload={(file) => upload(wanted, file)}
              onChange={(changed) => edit(changed)}
            />
          )}
        </Card>
      </div>
      <div className="min-w-0 space-y-4">
        <Cost estimate={estimate} organization={organization} running={running} isChanging={isChanging} />
        {run ? (
          <Run key={run} id={run} />
        ) : (
          <Empty title={text.playground.noRun} hint={text.playground.noRunHint} />
        )}
      </div>
    </form>
  );
}

function RequestCard(props: {
  model: Model;
  offered: Model[];
  onModel: (slug: string) => void;
  children: ReactNode;
}) {
  const { model, offered, onModel, children } = props;
  return (
    <Card title={text.playground.request}>
      <div className="grid gap-4 sm:grid-cols-2">
        <ModelField
          value={model.slug}
          tested={model.isActive ? undefined : model}
          offered={offered}
          onChange={onModel}
        />
        {children}
      </div>
      {!model.isActive && (
        <div className="mt-3 space-y-3">
          <p className="text-busy">{modelEditorText.isTestRun}</p>
          <ModelSwitch of={model.definition} />
        </div>
      )}
      <p className="mt-3 text-soft text-xs">
        {model.definition.description}{' '}
        <Link to="/models/$slug" params={{ slug: model.slug }} className="underline">
          {text.playground.aboutModel}
        </Link>
      </p>
    </Card>
  );
}

function AsJson({ isChecked, onChange }: { isChecked: boolean; onChange: (isChecked: boolean) => void }) {
  return (
    <label className="flex items-center gap-2 text-soft text-xs">
      <input
        type="checkbox"
        checked={isChecked}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {text.playground.asJson}
    </label>
  );
}
