/** How often an event came before, and whether it was accepted then. */
export type Before = { times: number; wasTaken: boolean };

export type History = { before(eventId: string): Before; note(eventId: string, taken: boolean): void };

export function createHistory(): History {
  const events = new Map<string, Before>();
  const before = (eventId: string) => events.get(eventId) ?? { times: 0, wasTaken: false };
  return {
    before,
    note(eventId, taken) {
      const { times, wasTaken } = before(eventId);
      events.set(eventId, { times: times + 1, wasTaken: wasTaken || taken });
    },
  };
}
