import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { change, newIdempotencyKey, type Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { Field, inputLook } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { textIn } from '../../ui/formData.ts';
import { useMissingRole } from '../access/session.tsx';
import { AmountField, positive } from './amountField.tsx';

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
  pattern: positive,
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

/** A repeat after a lost response has the key of the first try and pays once. */
function Adjust({ of, kind, onDone }: Props) {
  const client = useQueryClient();
  const tried = useRef<{ body: string; key: string } | null>(null);
  const [typed, setTyped] = useState('');
  const submit = async (form: FormData) => {
    const [amount, reason] = [textIn(form, 'amount'), textIn(form, 'reason')];
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
    } finally {
      for (const key of ['organization', 'statement'])
        void client.invalidateQueries({ queryKey: [key, of.id] });
    }
  };
  return (
    <FormDialog
      label={kind.label}
      title={`${kind.label}: ${of.name}`}
      tone={kind.needsReason ? 'plain' : 'primary'}
      disabledBecause={useMissingRole('admin')}
      isReady={typed === of.name}
      onOpen={() => {
        onDone(null);
        setTyped('');
      }}
      submit={submit}
    >
      <p className="text-soft">{kind.about}</p>
      <AmountField pattern={kind.pattern} placeholder={kind.placeholder} />
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
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          autoComplete="off"
          className={inputLook}
        />
      </Field>
    </FormDialog>
  );
}
