import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { change, newIdempotencyKey, type Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, inputLook } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { useRefusal } from '../access/session.tsx';

type Kind = {
  path: 'top-ups' | 'corrections';
  label: string;
  about: string;
  pattern: string;
  placeholder: string;
  needsReason: boolean;
  done: (amount: string) => string;
};

const topUp: Kind = {
  path: 'top-ups',
  label: text.organizations.topUp,
  about: text.organizations.topUpAbout,
  pattern: '\\d+(\\.\\d{1,8})?',
  placeholder: '25.00',
  needsReason: false,
  done: text.organizations.toppedUp,
};

const correction: Kind = {
  path: 'corrections',
  label: text.organizations.correct,
  about: text.organizations.correctAbout,
  pattern: '-?\\d+(\\.\\d{1,8})?',
  placeholder: '-1.50',
  needsReason: true,
  done: text.organizations.corrected,
};

type Organization = Schemas['OrganizationWithBalance'];

/** Top-up and correction of a balance, and what was done last. */
export function Adjustments({ of }: { of: Organization }) {
  const [done, setDone] = useState<string | null>(null);
  return (
    <>
      <Adjust of={of} kind={correction} onDone={setDone} />
      <Adjust of={of} kind={topUp} onDone={setDone} />
      {/* In a line of its own, as wide as the buttons, which must not move. */}
      <span role="status" className="w-0 min-w-full text-good empty:hidden">
        {done}
      </span>
    </>
  );
}

type Props = { of: Organization; kind: Kind; onDone: (what: string | null) => void };

/** A double click, or a repeat after a lost response, has the key of the first try and pays once. */
function Adjust({ of, kind, onDone }: Props) {
  const client = useQueryClient();
  const refusal = useRefusal('admin');
  const [isOpen, setOpen] = useState(false);
  const tried = useRef<{ body: string; key: string } | null>(null);
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const close = () => {
    setOpen(false);
    setTyped('');
    setError(null);
  };
  const submit = async (form: FormData) => {
    setBusy(true);
    setError(null);
    const amount = String(form.get('amount'));
    const reason = String(form.get('reason'));
    const body = { amount, ...(reason && { reason }) };
    if (tried.current?.body !== JSON.stringify(body)) {
      tried.current = { body: JSON.stringify(body), key: newIdempotencyKey() };
    }
    try {
      await change('POST', `/organizations/${of.id}/${kind.path}`, {
        body,
        idempotencyKey: tried.current.key,
      });
      tried.current = null;
      onDone(kind.done(amount));
      close();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
      await client.invalidateQueries({ queryKey: ['organization', of.id] });
      await client.invalidateQueries({ queryKey: ['statement', of.id] });
    }
  };
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (typed === of.name) void submit(new FormData(event.currentTarget));
  };
  return (
    <>
      <Button
        tone={kind.needsReason ? 'plain' : 'primary'}
        disabled={refusal !== null}
        title={refusal ?? undefined}
        onClick={() => {
          onDone(null);
          setOpen(true);
        }}
      >
        {kind.label}
      </Button>
      <Dialog title={`${kind.label}: ${of.name}`} isOpen={isOpen} onClose={close}>
        <form onSubmit={onSubmit} className="space-y-3">
          <p className="text-soft">{kind.about}</p>
          <Field label={text.organizations.amount}>
            <input
              name="amount"
              required
              inputMode="decimal"
              title={text.organizations.amountHint}
              pattern={kind.pattern}
              placeholder={kind.placeholder}
              autoComplete="off"
              className={inputLook}
            />
          </Field>
          <Field label={kind.needsReason ? text.organizations.reasonNeeded : text.organizations.reason}>
            <input
              name="reason"
              required={kind.needsReason}
              maxLength={200}
              autoComplete="off"
              className={inputLook}
            />
          </Field>
          <Field label={text.organizations.confirm(of.name)}>
            <input
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              className={inputLook}
            />
          </Field>
          {error !== null && <Problem error={error} />}
          <div className="flex justify-end gap-2">
            <Button onClick={close}>{text.close}</Button>
            <Button type="submit" tone="primary" disabled={isBusy || typed !== of.name}>
              {kind.label}
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
