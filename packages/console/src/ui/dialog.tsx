import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { isSignedOut } from '../api.ts';
import { text } from '../strings/shared.ts';
import { Button } from './button.tsx';
import { EnvironmentName } from './environment.tsx';
import { focusHeading, isFocusLost } from './heading.tsx';
import { Problem } from './states.tsx';

/** A modal dialog of the browser, which keeps the focus inside and gives it back, if what it was opened from is still there. */
export function Dialog(props: { title: string; isOpen: boolean; onClose: () => void; children: ReactNode }) {
  const { title, isOpen, onClose, children } = props;
  const box = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = box.current;
    if (!isOpen || dialog === null) return;
    dialog.showModal();
    return () => {
      dialog.close();
      if (isFocusLost()) focusHeading();
    };
  }, [isOpen]);
  return (
    <dialog
      ref={box}
      aria-labelledby={titleId}
      onClose={onClose}
      className="m-auto w-[calc(100%-2rem)] max-w-md rounded-lg border border-line bg-card p-5 text-ink shadow-xl"
    >
      <div className="mb-3 flex items-start justify-between gap-3">
        <h2 id={titleId} className="font-semibold text-base">
          {title}
        </h2>
        <EnvironmentName />
      </div>
      {isOpen && children}
    </dialog>
  );
}

/** A dialog that closes once its change was made, and otherwise shows why not. */
export function useChangeDialog() {
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const client = useQueryClient();
  const isRunning = useRef(false);
  return {
    isOpen,
    isBusy,
    error,
    /** Without the failure of last time. */
    open() {
      setError(null);
      setOpen(true);
    },
    close: () => setOpen(false),
    /** One change at a time, however often it is asked for. */
    async run(change: () => Promise<unknown>): Promise<void> {
      if (isRunning.current) return;
      isRunning.current = true;
      setBusy(true);
      setError(null);
      try {
        await change();
        setOpen(false);
      } catch (reason) {
        setError(reason);
        // The page may read nothing by itself that would find this out.
        if (isSignedOut(reason)) void client.invalidateQueries({ queryKey: ['session'] });
      } finally {
        isRunning.current = false;
        setBusy(false);
      }
    },
  };
}

/** A button that opens a dialog of `useChangeDialog`. */
export function DialogButton(props: {
  label: string;
  /** The dialog's title; without one, the label. */
  title?: string | undefined;
  tone?: 'plain' | 'primary' | 'danger';
  disabledBecause: string | null;
  dialog: Pick<ReturnType<typeof useChangeDialog>, 'isOpen' | 'open' | 'close'>;
  children: ReactNode;
}) {
  const { label, title = label, tone = 'plain', disabledBecause, dialog, children } = props;
  return (
    <>
      <Button
        tone={tone}
        disabled={disabledBecause !== null}
        title={disabledBecause ?? undefined}
        onClick={dialog.open}
      >
        {label}
      </Button>
      <Dialog title={title} isOpen={dialog.isOpen} onClose={dialog.close}>
        {children}
      </Dialog>
    </>
  );
}

/** Asks before it acts; shows why it failed. Title and button of the dialog say what it does. */
export function Confirmed(props: {
  label: string;
  /** The whole verb, where the label is only a part of it. */
  verb?: string;
  question: string;
  tone?: 'plain' | 'danger';
  disabledBecause?: string | null;
  act: () => Promise<unknown>;
}) {
  const { label, verb = label, question, tone = 'plain', disabledBecause = null, act } = props;
  const dialog = useChangeDialog();
  const { isBusy, error, close, run } = dialog;
  return (
    <DialogButton label={label} title={verb} tone={tone} disabledBecause={disabledBecause} dialog={dialog}>
      <p>{question}</p>
      {error !== null && <Problem error={error} />}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={close}>{text.close}</Button>
        <Button
          tone={tone === 'danger' ? 'danger' : 'primary'}
          disabled={isBusy}
          onClick={() => void run(act)}
        >
          {verb}
        </Button>
      </div>
    </DialogButton>
  );
}
