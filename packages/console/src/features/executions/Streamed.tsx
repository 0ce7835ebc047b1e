import { useLayoutEffect, useRef } from 'react';
import { text } from '../../strings/shared.ts';
import { amountText } from '../../ui/format.ts';
import { Code, codeLook } from '../../ui/values.tsx';
import { Image } from './files.tsx';
import type { Stream } from './shownStream.ts';

/** The output of an open execution as far as it is made. */
export function Streamed({ of, urlOf }: { of: Stream; urlOf: (fileId: string) => string }) {
  const { attempt, audioBytes, hasOutput, image, written } = of;
  return (
    <>
      <div role="status">
        {attempt !== null && <p className="mb-3 text-busy">{text.execution.startedAgain(attempt)}</p>}
        {!hasOutput && <p className="text-soft">{text.execution.noOutput}</p>}
      </div>
      {audioBytes > 0 && <p className="text-soft">{text.execution.audioSoFar(audioBytes)}</p>}
      {image !== null && <Image url={urlOf(image)} name={text.execution.partialImage} />}
      {written !== '' && <Growing of={written} />}
    </>
  );
}

/** Its end stays in view, unless the reader has scrolled up. */
function Growing({ of }: { of: string }) {
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (of !== '' && isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [of]);
  return (
    <section aria-label={text.execution.outputText} aria-busy="true">
      <pre
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
        }}
        className={codeLook}
      >
        {of}
        <span
          aria-hidden="true"
          className="ml-0.5 inline-block h-[1.1em] w-[0.55em] animate-pulse bg-accent align-text-bottom"
        />
      </pre>
    </section>
  );
}

type Ended = {
  status: string;
  cost: string | null;
  result?: unknown;
  partial_output?: string;
  finish_reason?: string;
};

/** How an output ended: what was shown if it is not whole, why it stopped, and what a cancel was charged for. */
export function Ending({ of }: { of: Ended }) {
  const { status, cost, result, partial_output: partial, finish_reason: reason } = of;
  const isCharged = status === 'CANCELLED' && cost !== null;
  if (result !== undefined && !reason) return null;
  return (
    <div className="space-y-3">
      {result === undefined && (
        <p className="text-soft">{partial ? text.execution.partialOutput : text.execution.failedOutput}</p>
      )}
      {partial && <Code of={partial} label={text.execution.outputText} />}
      {isCharged && <p>{text.execution.chargedCancel(amountText(cost))}</p>}
      {reason && <p className="text-soft text-xs">{text.execution.finishReason(reason)}</p>}
    </div>
  );
}
