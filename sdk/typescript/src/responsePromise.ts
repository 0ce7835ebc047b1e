/** A body of the API and the response that carried it. */
export type WithResponse<Body> = { data: Body; response: Response };

/** A promise of a response's body. `withResponse()` gives status and headers too. */
export class ResponsePromise<Body> implements Promise<Body> {
  readonly [Symbol.toStringTag] = 'ResponsePromise';
  readonly #whole: Promise<WithResponse<Body>>;

  constructor(whole: Promise<WithResponse<Body>>) {
    this.#whole = whole;
  }

  /** The body and the raw response, whose own body has been read. */
  withResponse(): Promise<WithResponse<Body>> {
    return this.#whole;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise
  then<Fulfilled = Body, Rejected = never>(
    onFulfilled?: ((body: Body) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#whole.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  catch<Rejected = never>(
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Body | Rejected> {
    return this.then(null, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Body> {
    return this.#whole.then(({ data }) => data).finally(onFinally);
  }
}
