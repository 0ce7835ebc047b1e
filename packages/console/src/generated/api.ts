/** Written by scripts/generators/sdk.mjs: do not edit. */

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @example {
         *       "name": "CI",
         *       "scopes": [
         *         "executions:write",
         *         "executions:read"
         *       ],
         *       "expires_at": "2027-01-01T00:00:00Z",
         *       "models": [
         *         "sandbox-image"
         *       ],
         *       "addresses": [
         *         "203.0.113.0/24"
         *       ]
         *     }
         */
        ApiKeyRequest: {
            /**
             * @description A label
             * @example CI
             */
            name: string;
            /**
             * @description `full`: every scope (the default for a caller with every scope); `execution`: executions and files only
             * @enum {string}
             */
            permissions?: "full" | "execution";
            /**
             * @description `test`: the key runs only sandbox models and is never charged
             * @enum {string}
             */
            mode?: "live" | "test";
            /**
             * @description What the key may do, instead of `permissions`
             * @example [
             *       "executions:write",
             *       "files"
             *     ]
             */
            scopes?: ("executions:write" | "executions:read" | "files" | "webhooks" | "keys" | "balance" | "portal")[];
            /**
             * @description When the key stops working; omitted: never
             * @example 2026-03-20T10:30:00Z
             */
            expires_at?: string;
            /**
             * @description Slugs of the models that the key may use; it reads only their executions, events and deliveries. Empty: all models
             * @example [
             *       "sandbox-image"
             *     ]
             */
            models?: string[];
            /**
             * @description Addresses and CIDR ranges that the key may be used from; empty: all
             * @example [
             *       "203.0.113.0/24"
             *     ]
             */
            addresses?: string[];
        };
        /**
         * @example {
         *       "capabilities": [
         *         "executions",
         *         "webhooks"
         *       ],
         *       "expires_in_s": 3600,
         *       "frame_ancestors": [
         *         "https://app.example.com"
         *       ],
         *       "theme": {
         *         "accent": "#4f46e5"
         *       },
         *       "return_url": "https://app.example.com/settings"
         *     }
         */
        PortalSessionRequest: {
            /**
             * @description What the session may show and change: `executions` (read, cancel), `webhooks` (endpoints and deliveries), `keys` (API keys), `usage` (balance and usage), `topup` (a link to the payment page, where the operator has one)
             * @example [
             *       "executions",
             *       "webhooks"
             *     ]
             */
            capabilities: ("executions" | "webhooks" | "keys" | "usage" | "topup")[];
            /**
             * @description Seconds from the use of the link until the session ends
             * @default 3600
             */
            expires_in_s?: number;
            /**
             * @description Origins of the pages that may show the portal in a frame; empty: none
             * @default []
             * @example [
             *       "https://app.example.com"
             *     ]
             */
            frame_ancestors?: string[];
            /** @description How the portal looks */
            theme?: components["schemas"]["PortalTheme"];
            /**
             * @description Where the portal leads back to
             * @example https://app.example.com/settings
             */
            return_url?: string;
        };
        PortalTheme: {
            /**
             * @description The color of buttons and links
             * @example #4f46e5
             */
            accent?: string;
            /**
             * @description An image, at most 32 pixels high
             * @example https://app.example.com/logo.svg
             */
            logo_url?: string;
            /**
             * @description `auto`: as the browser prefers
             * @default auto
             * @enum {string}
             */
            color_scheme?: "auto" | "light" | "dark";
        };
        WebhookEndpointRequest: {
            /**
             * @description An HTTPS URL on port 443 or 8443, with a host name or an address. The operator may allow ports 1024 and above
             * @example https://example.com/hooks
             */
            url: string;
            /**
             * @description A label
             * @default
             * @example Production
             */
            description?: string;
            /**
             * @description Event types to send; empty: all execution events (`execution.*`). Events about your other endpoints (`endpoint.failing`, `endpoint.deactivated`, `endpoint.recovered`) are sent only to endpoints that list them or `endpoint.*`; those about batches (`batch.completed`, `batch.paused`, `batch.cancelled`, `batch.expired`) to those that list them or `batch.*`
             * @default []
             * @example [
             *       "execution.completed",
             *       "execution.failed"
             *     ]
             */
            events?: ("execution.started" | "execution.completed" | "execution.failed" | "execution.cancelled" | "execution.expired" | "endpoint.failing" | "endpoint.deactivated" | "endpoint.recovered" | "batch.completed" | "batch.paused" | "batch.cancelled" | "batch.expired" | "execution.*" | "endpoint.*" | "batch.*")[];
            /**
             * @description Slugs of the models whose events are sent; empty: all models, or those of the API key if it is limited to `models`
             * @default []
             * @example [
             *       "sandbox-image"
             *     ]
             */
            models?: string[];
            /**
             * @description `full`: the execution with its result. `thin`: only its id and status, for receivers that read the execution themselves
             * @default full
             * @example full
             * @enum {string}
             */
            payload?: "full" | "thin";
            /**
             * @description Whose webhooks the deliveries look like. `openai`: `response.completed`, `response.failed`, `response.cancelled` and `response.incomplete` with the id of the response, `video.completed` and `video.failed` with that of a video, and `batch.*` with that of the batch, which the SDKs' `webhooks.unwrap()` verifies and reads; other events are not delivered
             * @default holdfast
             * @example holdfast
             * @enum {string}
             */
            dialect?: "holdfast" | "openai";
            /**
             * @description Upper bound of concurrent requests to the endpoint; each webhook-sender of the service may have one, even if that is more. Below it, Holdfast sends as many as the endpoint takes without failing or slowing down
             * @default 256
             * @example 256
             */
            max_in_flight?: number;
            /**
             * @description Maximum number of requests per second; null: no limit
             * @default null
             * @example null
             */
            max_per_second?: number | null;
            /** @default {} */
            headers?: components["schemas"]["CustomHeaders"];
        };
        /**
         * @description Added to every delivery. At most 20, up to 4 KiB each and 16 KiB in total. Never returned
         * @example {
         *       "X-Tenant": "acme"
         *     }
         */
        CustomHeaders: {
            [key: string]: string;
        };
        WebhookEndpointChanges: {
            /**
             * @description Event types to send; empty: all execution events (`execution.*`). Events about your other endpoints (`endpoint.failing`, `endpoint.deactivated`, `endpoint.recovered`) are sent only to endpoints that list them or `endpoint.*`; those about batches (`batch.completed`, `batch.paused`, `batch.cancelled`, `batch.expired`) to those that list them or `batch.*`
             * @example [
             *       "execution.completed",
             *       "execution.failed"
             *     ]
             */
            events?: ("execution.started" | "execution.completed" | "execution.failed" | "execution.cancelled" | "execution.expired" | "endpoint.failing" | "endpoint.deactivated" | "endpoint.recovered" | "batch.completed" | "batch.paused" | "batch.cancelled" | "batch.expired" | "execution.*" | "endpoint.*" | "batch.*")[];
            /**
             * @description Slugs of the models whose events are sent; empty: all models, or those of the API key if it is limited to `models`
             * @example [
             *       "sandbox-image"
             *     ]
             */
            models?: string[];
            /**
             * @description `full`: the execution with its result. `thin`: only its id and status, for receivers that read the execution themselves
             * @example full
             * @enum {string}
             */
            payload?: "full" | "thin";
            /**
             * @description Whose webhooks the deliveries look like. `openai`: `response.completed`, `response.failed`, `response.cancelled` and `response.incomplete` with the id of the response, `video.completed` and `video.failed` with that of a video, and `batch.*` with that of the batch, which the SDKs' `webhooks.unwrap()` verifies and reads; other events are not delivered
             * @example holdfast
             * @enum {string}
             */
            dialect?: "holdfast" | "openai";
            /**
             * @description Upper bound of concurrent requests to the endpoint; each webhook-sender of the service may have one, even if that is more. Below it, Holdfast sends as many as the endpoint takes without failing or slowing down
             * @example 256
             */
            max_in_flight?: number;
            /**
             * @description Maximum number of requests per second; null: no limit
             * @example null
             */
            max_per_second?: number | null;
            /** @description Replaces all headers; `{}` removes them */
            headers?: components["schemas"]["CustomHeaders"];
            /**
             * @description A label
             * @example Production
             */
            description?: string;
            is_active?: boolean;
        };
        EstimateExecution: {
            /**
             * @description Model slug
             * @example sandbox-image
             */
            model: string;
            input: components["schemas"]["ModelInput"];
        };
        /**
         * @description Parameters of the model. Files are given as `file_` references
         * @example {
         *       "prompt": "a lighthouse"
         *     }
         */
        ModelInput: {
            [key: string]: unknown;
        };
        CreateExecution: {
            /**
             * @description Model slug
             * @example sandbox-image
             */
            model: string;
            input: components["schemas"]["ModelInput"];
            /**
             * @description Receives the final event of this execution
             * @example https://example.com/hooks
             */
            webhook_url?: string;
            /** @description Your own data, returned in the record. At most 16 KiB of JSON */
            metadata?: components["schemas"]["Metadata"];
            /** @description Which of your pending executions start first; default `normal` */
            priority?: components["schemas"]["Priority"];
            /**
             * @description Seconds until the execution expires; default: the model's timeout
             * @example 300
             */
            timeout_seconds?: number;
            /**
             * @description Shows the output while it is made (`urls.stream`). Only for models that stream; see `on_cancel` of the model for what a cancel then costs
             * @example false
             */
            stream?: boolean;
        };
        /**
         * @description Your own data
         * @example {
         *       "order": "A-17"
         *     }
         */
        Metadata: {
            [key: string]: unknown;
        };
        /**
         * @example normal
         * @enum {string}
         */
        Priority: "high" | "normal" | "low";
        /**
         * @example {
         *       "filter": {
         *         "status": [
         *           "PENDING"
         *         ],
         *         "model": "sandbox-text"
         *       },
         *       "dry_run": true
         *     }
         */
        BulkCancel: {
            filter: components["schemas"]["BulkCancelFilter"];
            /**
             * @description Only counts the executions that match
             * @default false
             * @example true
             */
            dry_run?: boolean;
            /** @description `next_cursor` of the previous response */
            cursor?: string;
        };
        /** @description Executions that match every field, at least one. Others than PENDING, PROCESSING, AWAITING_WEBHOOK are left as they are */
        BulkCancelFilter: {
            ids?: string[];
            /**
             * @example [
             *       "PENDING"
             *     ]
             */
            status?: ("PENDING" | "PROCESSING" | "AWAITING_WEBHOOK")[];
            /**
             * @description Model slug
             * @example sandbox-text
             */
            model?: string;
            /** @description Only executions that ended with one of these */
            error_code?: ("INPUT_VALIDATION_ERROR" | "CONTENT_MODERATION_REJECTED" | "FILE_NOT_FOUND" | "FILE_FORMAT_UNSUPPORTED" | "INSUFFICIENT_BALANCE" | "RATE_LIMITED" | "MODEL_OVERLOADED" | "MODEL_UNAVAILABLE" | "GENERATION_TIMEOUT" | "GENERATION_FAILED" | "SERVICE_UNAVAILABLE" | "INTERNAL_ERROR")[];
            /** @description Only executions whose metadata has this member, with this value as text */
            metadata?: components["schemas"]["MetadataFilter"];
            /**
             * @description Only executions created after this time
             * @example 2026-03-20T10:30:00Z
             */
            created_after?: string;
            /**
             * @description Only executions created before this time
             * @example 2026-03-20T10:30:00Z
             */
            created_before?: string;
        };
        /**
         * @example {
         *       "name": "order",
         *       "value": "A-17"
         *     }
         */
        MetadataFilter: {
            name: string;
            value: string;
        };
        /**
         * @example {
         *       "filter": {
         *         "status": [
         *           "COMPLETED"
         *         ],
         *         "model": "sandbox-text"
         *       },
         *       "dry_run": true
         *     }
         */
        BulkRerun: {
            filter: components["schemas"]["BulkRerunFilter"];
            /**
             * @description Only counts the executions that match
             * @default false
             * @example true
             */
            dry_run?: boolean;
            /** @description `next_cursor` of the previous response */
            cursor?: string;
        };
        /** @description Executions that match every field, at least one. Others than COMPLETED, FAILED, CANCELLED, EXPIRED are left as they are */
        BulkRerunFilter: {
            ids?: string[];
            /**
             * @example [
             *       "COMPLETED"
             *     ]
             */
            status?: ("COMPLETED" | "FAILED" | "CANCELLED" | "EXPIRED")[];
            /**
             * @description Model slug
             * @example sandbox-text
             */
            model?: string;
            /** @description Only executions that ended with one of these */
            error_code?: ("INPUT_VALIDATION_ERROR" | "CONTENT_MODERATION_REJECTED" | "FILE_NOT_FOUND" | "FILE_FORMAT_UNSUPPORTED" | "INSUFFICIENT_BALANCE" | "RATE_LIMITED" | "MODEL_OVERLOADED" | "MODEL_UNAVAILABLE" | "GENERATION_TIMEOUT" | "GENERATION_FAILED" | "SERVICE_UNAVAILABLE" | "INTERNAL_ERROR")[];
            /** @description Only executions whose metadata has this member, with this value as text */
            metadata?: components["schemas"]["MetadataFilter"];
            /**
             * @description Only executions created after this time
             * @example 2026-03-20T10:30:00Z
             */
            created_after?: string;
            /**
             * @description Only executions created before this time
             * @example 2026-03-20T10:30:00Z
             */
            created_before?: string;
        };
        ResumeBatch: {
            /**
             * @description Takes the place of `max_cost`
             * @example 50.00
             */
            max_cost?: string;
        };
        RetryBatch: {
            filter: components["schemas"]["RetryBatchFilter"];
        };
        /** @description Items that match every field; at least one is required */
        RetryBatchFilter: {
            /**
             * @example [
             *       "failed"
             *     ]
             */
            status?: ("failed" | "cancelled" | "expired")[];
            custom_ids?: string[];
            /**
             * @example [
             *       "GENERATION_FAILED"
             *     ]
             */
            error_codes?: ("INPUT_VALIDATION_ERROR" | "CONTENT_MODERATION_REJECTED" | "FILE_NOT_FOUND" | "FILE_FORMAT_UNSUPPORTED" | "INSUFFICIENT_BALANCE" | "RATE_LIMITED" | "MODEL_OVERLOADED" | "MODEL_UNAVAILABLE" | "GENERATION_TIMEOUT" | "GENERATION_FAILED" | "SERVICE_UNAVAILABLE" | "INTERNAL_ERROR")[];
        };
        RecoverRequest: {
            /**
             * @description Deliveries created since this time
             * @example 2026-03-20T10:00:00Z
             */
            since: string;
        };
        TestEventRequest: {
            /**
             * @description The type of the event
             * @default webhook.test
             * @example execution.completed
             * @enum {string}
             */
            type?: "webhook.test" | "execution.started" | "execution.completed" | "execution.failed" | "execution.cancelled" | "execution.expired" | "endpoint.failing" | "endpoint.deactivated" | "endpoint.recovered" | "batch.completed" | "batch.paused" | "batch.cancelled" | "batch.expired";
        };
        RecoverDeliveriesRequest: {
            /**
             * @description Only deliveries created at this time or later
             * @example 2026-03-20T10:30:00Z
             */
            since: string;
            /**
             * @description Only deliveries created before this time: a time, or a date (00:00 UTC)
             * @example 2026-03-20T10:30:00Z
             */
            until?: string;
            /**
             * @description Only deliveries of this organization
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id?: string;
            /**
             * @description Only deliveries to this endpoint
             * @example wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            endpoint_id?: string;
            /** @enum {string} */
            event_type?: "execution.started" | "execution.completed" | "execution.failed" | "execution.cancelled" | "execution.expired" | "endpoint.failing" | "endpoint.deactivated" | "endpoint.recovered" | "batch.completed" | "batch.paused" | "batch.cancelled" | "batch.expired";
            /** @description `next_cursor` of the previous call */
            cursor?: string;
            /**
             * @description true: only counts
             * @default false
             */
            is_trial?: boolean;
        };
        ModelText: {
            /**
             * @description The definition, as a file in MODELS_DIR has it
             * @example slug: acme-text
             *     …
             */
            yaml: string;
            /** @description The version that the change was made of; null: there is no such model yet */
            version: string | null;
        };
        ModelSwitch: {
            active: boolean;
            /**
             * Format: uuid
             * @description The version that the change was made of
             * @example 5d41402a-bc4b-2a76-b971-9d911017c592
             */
            version: string;
        };
        ModelCheckRequest: {
            /**
             * @description The definition, as a file in MODELS_DIR has it
             * @example slug: acme-text
             *     …
             */
            yaml: string;
        };
        Organization: {
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            name: string;
            /**
             * Format: date-time
             * @description When it was created
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            /** @description Maximum number of executions that run at once; null: the setting ORGANIZATION_MAX_CONCURRENCY */
            max_concurrency: number | null;
            /**
             * @description Monthly spend limit; null: no limit
             * @example {
             *       "amount": "100.00",
             *       "month": "2026-03",
             *       "spent": "12.60",
             *       "remaining": "87.40"
             *     }
             */
            spend_limit: components["schemas"]["SpendLimit"] | null;
            /** @description When a cost is above the hold: `charge` it in full, or `cap` it at the available balance; null: the setting OVERAGE */
            overage: ("charge" | "cap") | null;
            /** @description When a cost exceeds a spend limit: `charge` it in full, or `cap` it at what remains of the limit; null: the setting SPEND_LIMIT_OVERAGE */
            spend_limit_overage: ("charge" | "cap") | null;
            /** @description The policies that apply: the organization's own, or the defaults of the platform */
            in_force: {
                /** @enum {string} */
                overage: "charge" | "cap";
                /** @enum {string} */
                spend_limit_overage: "charge" | "cap";
            } | null;
            test_of: string | null;
        };
        SpendLimit: {
            /**
             * @description Maximum spend in a month (UTC)
             * @example 0.048
             */
            amount: string;
            /**
             * @description The current month
             * @example 2026-03
             */
            month: string;
            /**
             * @description The cost of executions created this month, plus the holds of those still open
             * @example 0.048
             */
            spent: string;
            /**
             * @description What can still be spent this month
             * @example 0.048
             */
            remaining: string;
        };
        ErrorResponse: {
            error: components["schemas"]["RequestError"];
        };
        RequestError: {
            code: components["schemas"]["ErrorCode"];
            /** @description For people; do not parse it */
            message: string;
            /** @description Whether the same request may succeed later */
            retryable: boolean;
            /** @example req_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d */
            request_id: string;
            /** @description The invalid fields, if any */
            details: components["schemas"]["ErrorDetail"][];
            /**
             * @description A page about this code
             * @example https://api.example.com/docs/errors/INPUT_VALIDATION_ERROR
             */
            doc_url: string;
        };
        /** @enum {string} */
        ErrorCode: "INPUT_VALIDATION_ERROR" | "CONTENT_MODERATION_REJECTED" | "FILE_NOT_FOUND" | "FILE_FORMAT_UNSUPPORTED" | "INSUFFICIENT_BALANCE" | "RATE_LIMITED" | "MODEL_OVERLOADED" | "MODEL_UNAVAILABLE" | "GENERATION_TIMEOUT" | "GENERATION_FAILED" | "SERVICE_UNAVAILABLE" | "INTERNAL_ERROR" | "UNAUTHENTICATED" | "SPEND_LIMIT_REACHED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "EXECUTION_NOT_READY" | "EXECUTION_NOT_COMPLETED" | "EXECUTION_ALREADY_TERMINAL" | "EXECUTION_NOT_TERMINAL" | "BATCH_STATUS_CONFLICT" | "API_KEY_LIMIT_REACHED" | "REVIEW_ALREADY_DECIDED" | "MODEL_CHANGED" | "EXECUTION_ERASED" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "IDEMPOTENCY_KEY_REUSED" | "INSUFFICIENT_STORAGE";
        ErrorDetail: {
            /**
             * @description The path of the field
             * @example input.width
             */
            field: string;
            /** @example OUT_OF_RANGE */
            code: string;
            /** @example input.width must be at most 4096. */
            message: string;
        };
        OrganizationPage: {
            data: components["schemas"]["ListedOrganization"][];
            /**
             * @description Whether there are more items
             * @example false
             */
            has_more: boolean;
            /** @description Pass it as `cursor` to get the next page; null on the last page */
            next_cursor: string | null;
        };
        ListedOrganization: {
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            name: string;
            /**
             * Format: date-time
             * @description When it was created
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            /** @description Maximum number of executions that run at once; null: the setting ORGANIZATION_MAX_CONCURRENCY */
            max_concurrency: number | null;
            /**
             * @description Monthly spend limit; null: no limit
             * @example {
             *       "amount": "100.00",
             *       "month": "2026-03",
             *       "spent": "12.60",
             *       "remaining": "87.40"
             *     }
             */
            spend_limit: components["schemas"]["SpendLimit"] | null;
            /** @description When a cost is above the hold: `charge` it in full, or `cap` it at the available balance; null: the setting OVERAGE */
            overage: ("charge" | "cap") | null;
            /** @description When a cost exceeds a spend limit: `charge` it in full, or `cap` it at what remains of the limit; null: the setting SPEND_LIMIT_OVERAGE */
            spend_limit_overage: ("charge" | "cap") | null;
            /** @description The policies that apply: the organization's own, or the defaults of the platform */
            in_force: {
                /** @enum {string} */
                overage: "charge" | "cap";
                /** @enum {string} */
                spend_limit_overage: "charge" | "cap";
            } | null;
            test_of: string | null;
            balance?: {
                /**
                 * @description Available balance
                 * @example 0.048
                 */
                available: string;
                /**
                 * @description Held for open executions
                 * @example 0.048
                 */
                held: string;
            };
            spend?: {
                /**
                 * @description What completed executions cost
                 * @example 0.048
                 */
                last_30_days: string;
                /** @description The same for each of these 30 days (UTC), the last of them today */
                days: string[];
            };
            /** @description Whether less is available than the last 7 days cost. With `include=spend` */
            runs_low?: boolean;
        };
        OrganizationWithBalance: {
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            name: string;
            /**
             * Format: date-time
             * @description When it was created
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            /** @description Maximum number of executions that run at once; null: the setting ORGANIZATION_MAX_CONCURRENCY */
            max_concurrency: number | null;
            /**
             * @description Monthly spend limit; null: no limit
             * @example {
             *       "amount": "100.00",
             *       "month": "2026-03",
             *       "spent": "12.60",
             *       "remaining": "87.40"
             *     }
             */
            spend_limit: components["schemas"]["SpendLimit"] | null;
            /** @description When a cost is above the hold: `charge` it in full, or `cap` it at the available balance; null: the setting OVERAGE */
            overage: ("charge" | "cap") | null;
            /** @description When a cost exceeds a spend limit: `charge` it in full, or `cap` it at what remains of the limit; null: the setting SPEND_LIMIT_OVERAGE */
            spend_limit_overage: ("charge" | "cap") | null;
            /** @description The policies that apply: the organization's own, or the defaults of the platform */
            in_force: {
                /** @enum {string} */
                overage: "charge" | "cap";
                /** @enum {string} */
                spend_limit_overage: "charge" | "cap";
            } | null;
            test_of: string | null;
            balance: components["schemas"]["OrganizationBalance"];
        };
        OrganizationBalance: {
            /**
             * @description Available for new executions
             * @example 0.048
             */
            available: string;
            /**
             * @description Reserved by open executions
             * @example 0.048
             */
            held: string;
            /**
             * @description `available` plus `held`
             * @example 0.048
             */
            total: string;
            /** @constant */
            currency: "USD";
        };
        BalanceHistory: {
            data: components["schemas"]["DayBalance"][];
        };
        DayBalance: {
            /**
             * Format: date
             * @description Day in UTC
             */
            day: string;
            /**
             * @description The available balance at its end; of today: now
             * @example 0.048
             */
            available: string;
            /**
             * @description The balance that was held then
             * @example 0.048
             */
            held: string;
        };
        Adjustment: {
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            /**
             * @description The amount that was added; below 0 when a correction reduced the balance
             * @example 0.048
             */
            amount: string;
            reason: string | null;
            /**
             * @description The available balance right after the adjustment
             * @example 0.048
             */
            available_after: string;
            /**
             * Format: date-time
             * @description When it was added
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            balance: components["schemas"]["OrganizationBalance"];
        };
        Limited: {
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            api_key_id: string | null;
            /**
             * @description Monthly spend limit; null: no limit
             * @example {
             *       "amount": "100.00",
             *       "month": "2026-03",
             *       "spent": "12.60",
             *       "remaining": "87.40"
             *     }
             */
            spend_limit: components["schemas"]["SpendLimit"] | null;
        };
        NewApiKey: {
            /**
             * @description Id
             * @example key_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /** @example CI */
            name: string;
            /**
             * @description The first characters of the key
             * @example sk_4f1d8a2c
             */
            prefix: string;
            /**
             * @description `full`: the key has every scope; otherwise `execution`. `scopes` has the exact rights
             * @enum {string}
             */
            permissions: "full" | "execution";
            /**
             * @description `test`: the key has its own executions, files, webhooks and test balance, and runs only sandbox models
             * @enum {string}
             */
            mode: "live" | "test";
            /**
             * @description What the key may do. Any key may read models
             * @example [
             *       "executions:write",
             *       "files"
             *     ]
             */
            scopes: ("executions:write" | "executions:read" | "files" | "webhooks" | "keys" | "balance" | "portal")[];
            expires_at: string | null;
            /**
             * @description Slugs of the models that the key may use; it reads only their executions, events and deliveries. Empty: all models
             * @example [
             *       "sandbox-image"
             *     ]
             */
            models: string[];
            /**
             * @description Addresses and CIDR ranges that the key may be used from; empty: all
             * @example [
             *       "203.0.113.0/24"
             *     ]
             */
            addresses: string[];
            /**
             * Format: date-time
             * @description When the key was created
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            revoked_at: string | null;
            /**
             * @description Monthly spend limit; null: no limit
             * @example {
             *       "amount": "100.00",
             *       "month": "2026-03",
             *       "spent": "12.60",
             *       "remaining": "87.40"
             *     }
             */
            spend_limit: components["schemas"]["SpendLimit"] | null;
            /**
             * @description The key. Returned only once
             * @example sk_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef_e1ac3a3f
             */
            key: string;
        };
        ApiKeyPage: {
            data: components["schemas"]["ApiKey"][];
            /**
             * @description Whether there are more items
             * @example false
             */
            has_more: boolean;
            /** @description Pass it as `cursor` to get the next page; null on the last page */
            next_cursor: string | null;
        };
        ApiKey: {
            /**
             * @description Id
             * @example key_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /** @example CI */
            name: string;
            /**
             * @description The first characters of the key
             * @example sk_4f1d8a2c
             */
            prefix: string;
            /**
             * @description `full`: the key has every scope; otherwise `execution`. `scopes` has the exact rights
             * @enum {string}
             */
            permissions: "full" | "execution";
            /**
             * @description `test`: the key has its own executions, files, webhooks and test balance, and runs only sandbox models
             * @enum {string}
             */
            mode: "live" | "test";
            /**
             * @description What the key may do. Any key may read models
             * @example [
             *       "executions:write",
             *       "files"
             *     ]
             */
            scopes: ("executions:write" | "executions:read" | "files" | "webhooks" | "keys" | "balance" | "portal")[];
            expires_at: string | null;
            /**
             * @description Slugs of the models that the key may use; it reads only their executions, events and deliveries. Empty: all models
             * @example [
             *       "sandbox-image"
             *     ]
             */
            models: string[];
            /**
             * @description Addresses and CIDR ranges that the key may be used from; empty: all
             * @example [
             *       "203.0.113.0/24"
             *     ]
             */
            addresses: string[];
            /**
             * Format: date-time
             * @description When the key was created
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            revoked_at: string | null;
            /**
             * @description Monthly spend limit; null: no limit
             * @example {
             *       "amount": "100.00",
             *       "month": "2026-03",
             *       "spent": "12.60",
             *       "remaining": "87.40"
             *     }
             */
            spend_limit: components["schemas"]["SpendLimit"] | null;
        };
        PortalSession: {
            /**
             * @description Id
             * @example pses_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description The link, for one use. Relative if an operator created it and the service has no PUBLIC_URL. Never log it
             * @example https://api.example.com/console/s/pses_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/#token=link_…
             */
            url: string;
            /**
             * Format: date-time
             * @description When the link expires unless it is used: after 10 minutes
             * @example 2026-03-20T10:30:00.000Z
             */
            url_expires_at: string;
            /**
             * @description What the session may show and change: `executions` (read, cancel), `webhooks` (endpoints and deliveries), `keys` (API keys), `usage` (balance and usage), `topup` (a link to the payment page, where the operator has one)
             * @example [
             *       "executions",
             *       "webhooks"
             *     ]
             */
            capabilities: ("executions" | "webhooks" | "keys" | "usage" | "topup")[];
            /** @example 3600 */
            expires_in_s: number;
        };
        RevokedPortalSession: {
            /**
             * @description Id
             * @example pses_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /** @constant */
            revoked: true;
        };
        RotatedApiKey: {
            /**
             * @description Id
             * @example key_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /** @example CI */
            name: string;
            /**
             * @description The first characters of the key
             * @example sk_4f1d8a2c
             */
            prefix: string;
            /**
             * @description `full`: the key has every scope; otherwise `execution`. `scopes` has the exact rights
             * @enum {string}
             */
            permissions: "full" | "execution";
            /**
             * @description `test`: the key has its own executions, files, webhooks and test balance, and runs only sandbox models
             * @enum {string}
             */
            mode: "live" | "test";
            /**
             * @description What the key may do. Any key may read models
             * @example [
             *       "executions:write",
             *       "files"
             *     ]
             */
            scopes: ("executions:write" | "executions:read" | "files" | "webhooks" | "keys" | "balance" | "portal")[];
            expires_at: string | null;
            /**
             * @description Slugs of the models that the key may use; it reads only their executions, events and deliveries. Empty: all models
             * @example [
             *       "sandbox-image"
             *     ]
             */
            models: string[];
            /**
             * @description Addresses and CIDR ranges that the key may be used from; empty: all
             * @example [
             *       "203.0.113.0/24"
             *     ]
             */
            addresses: string[];
            /**
             * @description The new value. Returned only once
             * @example sk_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef_e1ac3a3f
             */
            new_key: string;
            /**
             * Format: date-time
             * @description When the previous value stops working: one hour after the rotation
             * @example 2026-03-20T10:30:00.000Z
             */
            previous_key_valid_until: string;
        };
        RevokedApiKey: {
            /**
             * @description Id
             * @example key_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /** @constant */
            revoked: true;
        };
        TransactionPage: {
            data: components["schemas"]["Transaction"][];
            /**
             * @description Whether there are more items
             * @example false
             */
            has_more: boolean;
            /** @description Pass it as `cursor` to get the next page; null on the last page */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "sequence": 42,
         *       "kind": "settle",
         *       "amount": "0.048",
         *       "available_change": "0.00",
         *       "held_change": "-0.048",
         *       "execution_id": "exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "reason": null,
         *       "available_after": "9.40",
         *       "held_after": "0.60",
         *       "balance_after": "10.00",
         *       "created_at": "2026-03-20T10:30:08.430Z"
         *     }
         */
        Transaction: {
            /** @description Number in the journal of your organization; increases with every transaction */
            sequence: number;
            /**
             * @description `top_up` and `correction`: made by the operator; `hold`: reserves an amount for an execution; `settle`: charges the cost; `overage`, before it: takes the part of the cost above the hold; `remainder`, after it: returns the unused part of the hold; `release`: returns the hold of an execution that is not charged; `reserve`: takes the holds of all items of a batch; `unreserve`: returns what its items hold, or the rest at its end
             * @enum {string}
             */
            kind: "top_up" | "correction" | "hold" | "overage" | "settle" | "remainder" | "release" | "reserve" | "unreserve";
            /**
             * @description The amount moved, never below 0
             * @example 0.048
             */
            amount: string;
            /**
             * @description The change of `available`; below 0 when it decreased
             * @example 0.048
             */
            available_change: string;
            /**
             * @description The change of `held`; below 0 when it decreased
             * @example 0.048
             */
            held_change: string;
            execution_id: string | null;
            /** @description The operator's reason for a top-up or correction */
            reason: string | null;
            /**
             * @description `available` after the transaction
             * @example 0.048
             */
            available_after: string;
            /**
             * @description `held` after the transaction
             * @example 0.048
             */
            held_after: string;
            /**
             * @description The total after the transaction
             * @example 0.048
             */
            balance_after: string;
            /**
             * Format: date-time
             * @description When it was recorded
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
        };
        /**
         * @example {
         *       "from": "2026-03-01T00:00:00.000Z",
         *       "to": "2026-04-01T00:00:00.000Z",
         *       "group_by": "model",
         *       "data": [
         *         {
         *           "model": "sandbox-image",
         *           "executions": 3,
         *           "cost": "0.144",
         *           "input_tokens": 120,
         *           "output_tokens": 860
         *         }
         *       ],
         *       "total": {
         *         "executions": 3,
         *         "cost": "0.144",
         *         "input_tokens": 120,
         *         "output_tokens": 860
         *       }
         *     }
         */
        Usage: {
            /**
             * Format: date-time
             * @description Start of the period, inclusive, by completion time
             * @example 2026-03-20T10:30:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the period, exclusive
             * @example 2026-03-20T10:30:00.000Z
             */
            to: string;
            /**
             * @description What the rows are grouped by
             * @enum {string}
             */
            group_by: "model" | "day" | "api_key" | "metadata";
            /** @description One row per model, day, key or value with executions, in order; values in order of cost */
            data: components["schemas"]["UsageRow"][];
            /** @description With `group_by=metadata`. Null: all are counted */
            counted_since?: string | null;
            total: components["schemas"]["UsageTotal"];
        };
        UsageRow: {
            /** @description Model slug, with `group_by=model` */
            model?: string;
            /**
             * Format: date
             * @description Day in the time zone `tz`, with `group_by=day`
             */
            day?: string;
            /** @description Id of the API key, with `group_by=api_key`. Null: created without one */
            api_key?: string | null;
            /** @description The value of `metadata_key`, with `group_by=metadata`. Null: executions without it */
            metadata?: string | null;
            /** @description Number of completed executions */
            executions: number;
            /**
             * @description The amount charged
             * @example 0.048
             */
            cost: string;
            /** @description Input tokens */
            input_tokens: number;
            /** @description Output tokens */
            output_tokens: number;
        };
        /** @description The sum of all rows */
        UsageTotal: {
            /** @description Number of completed executions */
            executions: number;
            /**
             * @description The amount charged
             * @example 0.048
             */
            cost: string;
            /** @description Input tokens */
            input_tokens: number;
            /** @description Output tokens */
            output_tokens: number;
        };
        WebhookEndpointPage: {
            endpoints: components["schemas"]["WebhookEndpoint"][];
            /**
             * @description Whether there are more items
             * @example false
             */
            has_more: boolean;
            /** @description Pass it as `cursor` to get the next page; null on the last page */
            next_cursor: string | null;
        };
        WebhookEndpoint: {
            /**
             * @description Id
             * @example wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /** @example https://example.com/hooks/holdfast */
            url: string;
            /** @example Production */
            description: string;
            /**
             * @example [
             *       "execution.completed",
             *       "execution.failed"
             *     ]
             */
            events: string[];
            /**
             * @description Empty: all models
             * @example []
             */
            models: string[];
            /**
             * @description `full`: the execution with its result. `thin`: only its id and status, for receivers that read the execution themselves
             * @example full
             * @enum {string}
             */
            payload: "full" | "thin";
            /**
             * @description Whose webhooks the deliveries look like. `openai`: `response.completed`, `response.failed`, `response.cancelled` and `response.incomplete` with the id of the response, `video.completed` and `video.failed` with that of a video, and `batch.*` with that of the batch, which the SDKs' `webhooks.unwrap()` verifies and reads; other events are not delivered
             * @example holdfast
             * @enum {string}
             */
            dialect: "holdfast" | "openai";
            /**
             * @description Upper bound of concurrent requests to the endpoint; each webhook-sender of the service may have one, even if that is more. Below it, Holdfast sends as many as the endpoint takes without failing or slowing down
             * @example 256
             */
            max_in_flight: number;
            /**
             * @description Maximum number of requests per second; null: no limit
             * @example null
             */
            max_per_second: number | null;
            /** @description Whether deliveries are made */
            is_active: boolean;
            /**
             * @description `is_active` as a word
             * @enum {string}
             */
            status: "active" | "inactive";
            /**
             * @description Failed deliveries in a row
             * @example 0
             */
            failure_count: number;
            /** @example 2026-03-20T10:30:08.610Z */
            last_success: string | null;
            last_failure: string | null;
            /** @description The error of the last failure */
            last_error: string | null;
            failing_since: string | null;
            previous_secret_valid_until: string | null;
            /**
             * Format: date-time
             * @description When the endpoint was created
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
        };
        CreatedWebhookEndpoint: {
            /**
             * @description Id
             * @example wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /** @example https://example.com/hooks/holdfast */
            url: string;
            /** @example Production */
            description: string;
            /**
             * @example [
             *       "execution.completed",
             *       "execution.failed"
             *     ]
             */
            events: string[];
            /**
             * @description Empty: all models
             * @example []
             */
            models: string[];
            /**
             * @description `full`: the execution with its result. `thin`: only its id and status, for receivers that read the execution themselves
             * @example full
             * @enum {string}
             */
            payload: "full" | "thin";
            /**
             * @description Whose webhooks the deliveries look like. `openai`: `response.completed`, `response.failed`, `response.cancelled` and `response.incomplete` with the id of the response, `video.completed` and `video.failed` with that of a video, and `batch.*` with that of the batch, which the SDKs' `webhooks.unwrap()` verifies and reads; other events are not delivered
             * @example holdfast
             * @enum {string}
             */
            dialect: "holdfast" | "openai";
            /**
             * @description Upper bound of concurrent requests to the endpoint; each webhook-sender of the service may have one, even if that is more. Below it, Holdfast sends as many as the endpoint takes without failing or slowing down
             * @example 256
             */
            max_in_flight: number;
            /**
             * @description Maximum number of requests per second; null: no limit
             * @example null
             */
            max_per_second: number | null;
            /** @description Whether deliveries are made */
            is_active: boolean;
            /**
             * @description `is_active` as a word
             * @enum {string}
             */
            status: "active" | "inactive";
            /**
             * @description Failed deliveries in a row
             * @example 0
             */
            failure_count: number;
            /** @example 2026-03-20T10:30:08.610Z */
            last_success: string | null;
            last_failure: string | null;
            /** @description The error of the last failure */
            last_error: string | null;
            failing_since: string | null;
            previous_secret_valid_until: string | null;
            /**
             * Format: date-time
             * @description When the endpoint was created
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            /**
             * @description Signs the deliveries. Returned only once
             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD
             */
            secret: string;
        };
        WebhookEndpointActivity: {
            /** @description The last 24 hours, oldest first */
            hours: components["schemas"]["WebhookEndpointHour"][];
            /** @description Null: the deliveries of all hours are counted */
            counted_since: string | null;
        };
        /** @description Attempts that started in this hour and have ended */
        WebhookEndpointHour: {
            /**
             * Format: date-time
             * @description The start of the hour
             * @example 2026-03-20T10:30:00.000Z
             */
            at: string;
            succeeded: number;
            failed: number;
            /** @description Half of the attempts ended within this time */
            p50_ms: number | null;
            p95_ms: number | null;
        };
        WebhookEndpointBacklog: {
            /** @description Null: the endpoint is active, or was turned off by a request */
            deactivated_at: string | null;
            /** @description Pending deliveries, counted up to 10,000 */
            waiting: number;
            /** @description Whether more deliveries are pending than were counted */
            has_more_waiting: boolean;
            /** @description The last attempt of each of up to five deliveries, newest first */
            last_attempts: components["schemas"]["LastDeliveryAttempt"][];
        };
        LastDeliveryAttempt: {
            number: number;
            /**
             * Format: date-time
             * @description When the request was sent
             * @example 2026-03-20T10:30:00.000Z
             */
            started_at: string;
            /** @description Null when there was no response */
            status_code: number | null;
            duration_ms: number | null;
            /** @description Null: the attempt succeeded, is still running or was interrupted */
            error: string | null;
            /** @description The stage at which the attempt failed: `policy` (the URL is not allowed), `dns`, `connect`, `tls`, `timeout`, `response` (not a 2xx, or unreadable), `aborted`, `unprepared` (the request could not be built) */
            error_stage: string | null;
            /** @description The first 4 KiB of the response body; null when unknown */
            response: string | null;
            /**
             * @description Id
             * @example dlv_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            delivery_id: string;
            event_type: string;
        };
        DeliveryPage: {
            deliveries: components["schemas"]["Delivery"][];
            /**
             * @description Whether there are more items
             * @example false
             */
            has_more: boolean;
            /** @description Pass it as `cursor` to get the next page; null on the last page */
            next_cursor: string | null;
        };
        Delivery: {
            /**
             * @description Id
             * @example dlv_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description Null for the `webhook_url` of an execution
             * @example wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            endpoint_id: string | null;
            /** @example https://example.com/hooks/holdfast */
            url: string;
            /**
             * @description Id
             * @example evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            event_id: string;
            /** @example execution.completed */
            event_type: string;
            /**
             * @description Null when the event is about an endpoint
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            execution_id: string | null;
            /**
             * @description The endpoint that the event is about, if any
             * @example null
             */
            about_endpoint_id: string | null;
            /**
             * @example delivered
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed" | "expired";
            /** @description At most the last 50 */
            attempts: components["schemas"]["DeliveryAttempt"][];
            next_attempt_at: string | null;
            /**
             * Format: date-time
             * @description When it was created
             * @example 2026-03-20T10:30:08.425Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it expires if it has not succeeded
             * @example 2026-03-21T10:30:08.420Z
             */
            expires_at: string;
            /** @example 2026-03-20T10:30:08.610Z */
            finished_at: string | null;
        };
        /**
         * @example {
         *       "number": 1,
         *       "started_at": "2026-03-20T10:30:08.430Z",
         *       "status_code": 200,
         *       "duration_ms": 180,
         *       "error": null,
         *       "error_stage": null,
         *       "response": "ok"
         *     }
         */
        DeliveryAttempt: {
            number: number;
            /**
             * Format: date-time
             * @description When the request was sent
             * @example 2026-03-20T10:30:00.000Z
             */
            started_at: string;
            /** @description Null when there was no response */
            status_code: number | null;
            duration_ms: number | null;
            /** @description Null: the attempt succeeded, is still running or was interrupted */
            error: string | null;
            /** @description The stage at which the attempt failed: `policy` (the URL is not allowed), `dns`, `connect`, `tls`, `timeout`, `response` (not a 2xx, or unreadable), `aborted`, `unprepared` (the request could not be built) */
            error_stage: string | null;
            /** @description The first 4 KiB of the response body; null when unknown */
            response: string | null;
        };
        Estimate: {
            /**
             * @description Model slug
             * @example sandbox-image
             */
            model: string;
            /**
             * @description The expected cost: the sum of `items`, rounded up
             * @example 0.04
             */
            estimated_cost: string;
            /**
             * @description The amount that creating the execution would hold
             * @example 0.048
             */
            hold_amount: string;
            /** @constant */
            currency: "USD";
            /** @description One item per price of the model */
            items: components["schemas"]["EstimateItem"][];
            hold: components["schemas"]["HoldRule"];
        };
        EstimateItem: {
            /**
             * @description The unit of the price; `minimum`: what the least price of a run adds
             * @example image
             * @enum {string}
             */
            unit: "run" | "second" | "image" | "megapixel" | "input_token" | "output_token" | "character" | "input_second" | "input_megapixel" | "unit" | "minimum";
            /**
             * @description Of units of the input: the property that is counted
             * @example steps
             */
            input?: string;
            /**
             * @description The expected quantity for this input
             * @example 1
             */
            quantity: number;
            /**
             * @description The price of one unit
             * @example 0.04
             */
            unit_price: string;
            /**
             * @description The exact amount, not rounded
             * @example 0.04
             */
            amount: string;
        };
        /** @description How the hold is calculated */
        HoldRule: {
            /**
             * @description `hold_amount` is `estimated_cost` times this factor
             * @constant
             */
            factor: "1.2";
            /**
             * @description The lowest possible `hold_amount`
             * @constant
             */
            minimum: "0.01";
        };
        /**
         * @example {
         *       "id": "exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "status": "COMPLETED",
         *       "model": "sandbox-image",
         *       "hold_amount": "0.048",
         *       "estimated_cost": "0.04",
         *       "expires_at": "2026-03-20T10:40:00.000Z",
         *       "created_at": "2026-03-20T10:30:00.000Z",
         *       "mode": "ASYNC",
         *       "priority": "normal",
         *       "progress": 1,
         *       "queue_position": null,
         *       "metadata": {
         *         "order": "A-17"
         *       },
         *       "webhook_url": null,
         *       "started_at": "2026-03-20T10:30:00.120Z",
         *       "completed_at": "2026-03-20T10:30:08.420Z",
         *       "cost": "0.04",
         *       "error": null,
         *       "erased_at": null,
         *       "result": {
         *         "images": [
         *           {
         *             "file_id": "file_01981e9d-8f21-7b60-a2c4-6d0e8f1a2b3c",
         *             "format": "png",
         *             "width": 1024,
         *             "height": 768
         *           }
         *         ]
         *       },
         *       "usage": {
         *         "input_tokens": 0,
         *         "output_tokens": 0,
         *         "images": 1
         *       },
         *       "latency_ms": 8420,
         *       "logs": "Step 1 of 4\nStep 2 of 4\n",
         *       "urls": {
         *         "self": "https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *         "result": "https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/result",
         *         "events": "https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/events",
         *         "stream": "https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/stream",
         *         "cancel": "https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/cancel"
         *       }
         *     }
         */
        ExecutionDetails: {
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            status: components["schemas"]["ExecutionStatus"];
            /**
             * @description Model slug as submitted
             * @example sandbox-image
             */
            model: string;
            /**
             * @description The amount reserved from the balance; released if the execution does not complete
             * @example 0.048
             */
            hold_amount: string;
            /**
             * @description The expected cost
             * @example 0.048
             */
            estimated_cost: string;
            /**
             * Format: date-time
             * @description When it expires if it has no result
             * @example 2026-03-20T10:30:00.000Z
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description When it was accepted
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            /** @constant */
            mode: "ASYNC";
            priority: components["schemas"]["ExecutionPriority"];
            /**
             * @description Progress from 0 to 1, if known; 1 once completed
             * @example 1
             */
            progress: number | null;
            /**
             * @description Position in the queue of its provider, if known
             * @example null
             */
            queue_position: number | null;
            /** @description As submitted */
            metadata: components["schemas"]["Metadata"] | null;
            webhook_url: string | null;
            started_at: string | null;
            completed_at: string | null;
            cost: string | null;
            /** @description Why it failed or expired */
            error: components["schemas"]["ExecutionError"] | null;
            /** @example null */
            erased_at: string | null;
            /** @description Present when `COMPLETED`, until the execution is erased */
            result?: components["schemas"]["ExecutionOutput"];
            /** @description Present when `COMPLETED`, and when a cancel was charged */
            usage?: components["schemas"]["ExecutionUsage"];
            /**
             * @description Present when `COMPLETED`: milliseconds from creation to completion
             * @example 8420
             */
            latency_ms?: number;
            /**
             * @description Why the output ended, as the provider says it, such as `stop` or `length`; `budget`: the hold or the balance was used up; `deadline`: the execution was about to expire
             * @example stop
             */
            finish_reason?: string;
            /**
             * @description What a stream that did not complete had shown
             * @example Once upon a
             */
            partial_output?: string;
            /**
             * @description The batch of which it runs an item
             * @example bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            batch_id?: string;
            /**
             * @description The item's `custom_id`
             * @example line-17
             */
            custom_id?: string;
            /**
             * @description The last 64 KiB of the log, if the model writes one
             * @example Step 1 of 4
             *     Step 2 of 4
             */
            logs: string | null;
            urls: components["schemas"]["ExecutionUrls"];
        };
        /**
         * @example PENDING
         * @enum {string}
         */
        ExecutionStatus: "PENDING" | "PROCESSING" | "AWAITING_WEBHOOK" | "COMPLETED" | "FAILED" | "CANCELLED" | "EXPIRED";
        /**
         * @description `batch`: it runs an item of a batch, and starts when nothing else may
         * @example normal
         * @enum {string}
         */
        ExecutionPriority: "high" | "normal" | "low" | "batch";
        ExecutionError: {
            /**
             * @description A code of the error table
             * @example GENERATION_FAILED
             */
            code: string;
            /** @example The provider failed to produce an output. */
            message: string;
            /**
             * @description Whether a new execution may succeed
             * @example true
             */
            retryable: boolean;
            /**
             * @description A page about this code; events omit it
             * @example https://api.example.com/docs/errors/GENERATION_FAILED
             */
            doc_url?: string;
        };
        /**
         * @description Model-specific output
         * @example {
         *       "images": [
         *         {
         *           "file_id": "file_01981e9d-8f21-7b60-a2c4-6d0e8f1a2b3c",
         *           "format": "png",
         *           "width": 1024,
         *           "height": 768
         *         }
         *       ]
         *     }
         */
        ExecutionOutput: {
            [key: string]: unknown;
        };
        /**
         * @description What was charged for: tokens, and the other quantities that the price of the model depends on
         * @example {
         *       "input_tokens": 0,
         *       "output_tokens": 0,
         *       "images": 1
         *     }
         */
        ExecutionUsage: {
            /** @description Input tokens, if the model counts them */
            input_tokens: number;
            /** @description Output tokens, if the model counts them */
            output_tokens: number;
            /** @description Seconds of the output, or of the run */
            seconds?: number;
            /** @description Images */
            images?: number;
            /** @description Million pixels of the output */
            megapixels?: number;
            /** @description Characters of the input */
            characters?: number;
            /** @description Seconds of the audio or video in the input */
            input_seconds?: number;
            /** @description Million pixels of the input */
            input_megapixels?: number;
            units?: components["schemas"]["BilledUnits"];
            /**
             * @description Names of quantities that could not be measured: they were charged as estimated
             * @example [
             *       "seconds"
             *     ]
             */
            estimated?: string[];
            /**
             * @description The provider of a stream reported no tokens: they were counted by its bytes
             * @constant
             */
            usage_estimated?: true;
        };
        /**
         * @description Numbers of the input that have a price, by property
         * @example {
         *       "steps": 28
         *     }
         */
        BilledUnits: {
            [key: string]: number;
        };
        /**
         * @description Where to read, follow and cancel it
         * @example {
         *       "self": "https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "result": "https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/result",
         *       "events": "https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/events",
         *       "stream": "https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/stream",
         *       "cancel": "https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/cancel"
         *     }
         */
        ExecutionUrls: {
            /**
             * @description The execution
             * @example https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            self: string;
            /**
             * @description Its result, once completed
             * @example https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/result
             */
            result: string;
            /**
             * @description Its events as they happen
             * @example https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/events
             */
            events: string;
            /**
             * @description Its output as it is made. After a create with `stream: true` it contains a token, so that an `EventSource` can open it
             * @example https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/stream
             */
            stream: string;
            /**
             * @description `POST` here to cancel it
             * @example https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/cancel
             */
            cancel: string;
        };
        /**
         * @example {
         *       "id": "exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "status": "PENDING",
         *       "model": "sandbox-image",
         *       "hold_amount": "0.048",
         *       "estimated_cost": "0.04",
         *       "expires_at": "2026-03-20T10:40:00.000Z",
         *       "created_at": "2026-03-20T10:30:00.000Z",
         *       "urls": {
         *         "self": "https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *         "result": "https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/result",
         *         "events": "https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/events",
         *         "stream": "https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/stream",
         *         "cancel": "https://api.example.com/v1/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/cancel"
         *       }
         *     }
         */
        CreatedExecution: {
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            status: components["schemas"]["ExecutionStatus"];
            /**
             * @description Model slug as submitted
             * @example sandbox-image
             */
            model: string;
            /**
             * @description The amount reserved from the balance; released if the execution does not complete
             * @example 0.048
             */
            hold_amount: string;
            /**
             * @description The expected cost
             * @example 0.048
             */
            estimated_cost: string;
            /**
             * Format: date-time
             * @description When it expires if it has no result
             * @example 2026-03-20T10:30:00.000Z
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description When it was accepted
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            urls: components["schemas"]["ExecutionUrls"];
        };
        BulkCancelled: {
            /**
             * @description Executions of this part that match
             * @example 3
             */
            matched: number;
            /**
             * @description Those that were cancelled now
             * @example 3
             */
            cancelled: number;
            /**
             * @description Whether there are more items
             * @example false
             */
            has_more: boolean;
            /** @description Pass it as `cursor` to get the next page; null on the last page */
            next_cursor: string | null;
        };
        BulkRerunResult: {
            /**
             * @description Executions of this part that match
             * @example 3
             */
            matched: number;
            /**
             * @description Executions created now
             * @example 3
             */
            created: number;
            /**
             * @description Those that an earlier request with this key had created
             * @example 3
             */
            replayed: number;
            executions: components["schemas"]["BulkRerunExecution"][];
            /** @description Originals that cannot run again, and why */
            skipped: components["schemas"]["BulkRerunSkipped"][];
            /**
             * @description Whether there are more items
             * @example false
             */
            has_more: boolean;
            /** @description Pass it as `cursor` to get the next page; null on the last page */
            next_cursor: string | null;
        };
        BulkRerunExecution: {
            /**
             * @description The new execution
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description The original
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            rerun_of: string;
        };
        BulkRerunSkipped: {
            /**
             * @description The original
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            rerun_of: string;
            /** @example EXECUTION_ERASED */
            code: string;
            /** @example The execution was erased, and its input with it. */
            message: string;
        };
        Batch: {
            /**
             * @description Id
             * @example bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /** @description `open` takes items; `running`; `paused`, see `reason`; `finishing`: no more items start, and the last ones end; then `completed`, `cancelled` or `expired` */
            status: components["schemas"]["BatchStatus"];
            /**
             * @description Why it is paused; `input_errors`: why it was cancelled
             * @example null
             */
            reason: ("insufficient_balance" | "spend_limit" | "max_cost" | "requested" | "input_errors") | null;
            /**
             * @description What it becomes, or became, at its end; null before
             * @example null
             */
            ends_as: ("completed" | "cancelled" | "expired") | null;
            /**
             * @description Of items without one
             * @example sandbox-image
             */
            model: string | null;
            defaults: components["schemas"]["BatchDefaults"] | null;
            /** @description As submitted */
            metadata: components["schemas"]["Metadata"] | null;
            /** @example null */
            webhook_url: string | null;
            max_cost: string | null;
            /**
             * @example pause
             * @enum {string}
             */
            on_insufficient_balance: "pause" | "cancel";
            /** @example 86400 */
            completion_window_s: number;
            /**
             * @description Which events its executions have
             * @example none
             * @enum {string}
             */
            events: "none" | "failed" | "all";
            /** @example false */
            reserve: boolean;
            counts: components["schemas"]["BatchCounts"];
            /**
             * @description What was charged for its items
             * @example 0.048
             */
            cost: string;
            /**
             * @description What is held for the items that run
             * @example 0.048
             */
            held: string;
            /**
             * @description What is left of its reservation
             * @example 0.048
             */
            reserved: string;
            /**
             * @description Its completed items as NDJSON, readable while it runs
             * @example file_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            output_file_id: string;
            /**
             * @description Its other ended items as NDJSON
             * @example file_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            error_file_id: string;
            /**
             * Format: date-time
             * @description When it was created
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            sealed_at: string | null;
            /**
             * Format: date-time
             * @description When items that still wait expire
             * @example 2026-03-20T10:30:00.000Z
             */
            expires_at: string;
            /** @example null */
            ended_at: string | null;
            /** @example null */
            estimated_end_at: string | null;
            /** @example null */
            erased_at: string | null;
        };
        /**
         * @example running
         * @enum {string}
         */
        BatchStatus: "open" | "running" | "paused" | "finishing" | "completed" | "cancelled" | "expired";
        /**
         * @description `input`, `metadata` and `timeout_seconds` of items that do not say otherwise
         * @example {
         *       "input": {
         *         "width": 512
         *       }
         *     }
         */
        BatchDefaults: {
            [key: string]: unknown;
        };
        /** @description How many items there are, in all and with each status */
        BatchCounts: {
            /**
             * @description Items that were accepted
             * @example 1000
             */
            total: number;
            /**
             * @description Not executions yet: nothing is held for them
             * @example 240
             */
            waiting: number;
            /**
             * @description Executions that have not ended
             * @example 256
             */
            running: number;
            /**
             * @description Completed
             * @example 503
             */
            completed: number;
            /**
             * @description Failed
             * @example 1
             */
            failed: number;
            /**
             * @description Cancelled, before or while they ran
             * @example 0
             */
            cancelled: number;
            /**
             * @description Expired, before or while they ran
             * @example 0
             */
            expired: number;
        };
        RetriedBatch: {
            /**
             * @description Id
             * @example bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /** @description `open` takes items; `running`; `paused`, see `reason`; `finishing`: no more items start, and the last ones end; then `completed`, `cancelled` or `expired` */
            status: components["schemas"]["BatchStatus"];
            /**
             * @description Why it is paused; `input_errors`: why it was cancelled
             * @example null
             */
            reason: ("insufficient_balance" | "spend_limit" | "max_cost" | "requested" | "input_errors") | null;
            /**
             * @description What it becomes, or became, at its end; null before
             * @example null
             */
            ends_as: ("completed" | "cancelled" | "expired") | null;
            /**
             * @description Of items without one
             * @example sandbox-image
             */
            model: string | null;
            defaults: components["schemas"]["BatchDefaults"] | null;
            /** @description As submitted */
            metadata: components["schemas"]["Metadata"] | null;
            /** @example null */
            webhook_url: string | null;
            max_cost: string | null;
            /**
             * @example pause
             * @enum {string}
             */
            on_insufficient_balance: "pause" | "cancel";
            /** @example 86400 */
            completion_window_s: number;
            /**
             * @description Which events its executions have
             * @example none
             * @enum {string}
             */
            events: "none" | "failed" | "all";
            /** @example false */
            reserve: boolean;
            counts: components["schemas"]["BatchCounts"];
            /**
             * @description What was charged for its items
             * @example 0.048
             */
            cost: string;
            /**
             * @description What is held for the items that run
             * @example 0.048
             */
            held: string;
            /**
             * @description What is left of its reservation
             * @example 0.048
             */
            reserved: string;
            /**
             * @description Its completed items as NDJSON, readable while it runs
             * @example file_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            output_file_id: string;
            /**
             * @description Its other ended items as NDJSON
             * @example file_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            error_file_id: string;
            /**
             * Format: date-time
             * @description When it was created
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            sealed_at: string | null;
            /**
             * Format: date-time
             * @description When items that still wait expire
             * @example 2026-03-20T10:30:00.000Z
             */
            expires_at: string;
            /** @example null */
            ended_at: string | null;
            /** @example null */
            estimated_end_at: string | null;
            /** @example null */
            erased_at: string | null;
            /** @example 3 */
            retried: number;
        };
        File: {
            /**
             * @description Id
             * @example file_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            file_id: string;
            /** @example input-photo.png */
            filename: string;
            /**
             * @description Null until the bytes are checked, if the upload did not declare it
             * @example image/png
             */
            content_type: string | null;
            /**
             * @description Null until the bytes are checked, if the upload did not declare it
             * @example 2048576
             */
            size_bytes: number | null;
            /**
             * @example ready
             * @enum {string}
             */
            status: "awaiting_upload" | "ready";
            /**
             * @description Pixels, if known
             * @example 1280
             */
            width: number | null;
            /**
             * @description Pixels, if known
             * @example 720
             */
            height: number | null;
            /**
             * @description Seconds of audio or video, if known
             * @example null
             */
            duration: number | null;
            /**
             * Format: date-time
             * @description When the file was created
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            expires_at: string | null;
        };
        DeletedExecution: {
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /** @constant */
            deleted: true;
        };
        Recovered: {
            /**
             * @description Number of deliveries
             * @example 3
             */
            redelivered: number;
            /**
             * @description Whether there are more to recover
             * @example false
             */
            has_more: boolean;
        };
        RotatedWebhookSecret: {
            /**
             * @description Id
             * @example wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description The new secret. Returned only once
             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD
             */
            secret: string;
            /** @example 2026-03-21T10:30:00.000Z */
            previous_secret_valid_until: string | null;
        };
        /**
         * @example {
         *       "success": true,
         *       "status_code": 200,
         *       "response_time_ms": 84
         *     }
         */
        TestCallResult: {
            success: boolean;
            status_code: number;
            response_time_ms: number;
            /** @description The error, if the test event was not delivered */
            error?: string;
        };
        AnyWebhookEndpointPage: {
            data: components["schemas"]["AnyWebhookEndpoint"][];
            /**
             * @description Whether there are more items
             * @example false
             */
            has_more: boolean;
            /** @description Pass it as `cursor` to get the next page; null on the last page */
            next_cursor: string | null;
        };
        AnyWebhookEndpoint: {
            /**
             * @description Id
             * @example wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /** @example https://example.com/hooks/holdfast */
            url: string;
            /** @example Production */
            description: string;
            /**
             * @example [
             *       "execution.completed",
             *       "execution.failed"
             *     ]
             */
            events: string[];
            /**
             * @description Empty: all models
             * @example []
             */
            models: string[];
            /**
             * @description `full`: the execution with its result. `thin`: only its id and status, for receivers that read the execution themselves
             * @example full
             * @enum {string}
             */
            payload: "full" | "thin";
            /**
             * @description Whose webhooks the deliveries look like. `openai`: `response.completed`, `response.failed`, `response.cancelled` and `response.incomplete` with the id of the response, `video.completed` and `video.failed` with that of a video, and `batch.*` with that of the batch, which the SDKs' `webhooks.unwrap()` verifies and reads; other events are not delivered
             * @example holdfast
             * @enum {string}
             */
            dialect: "holdfast" | "openai";
            /**
             * @description Upper bound of concurrent requests to the endpoint; each webhook-sender of the service may have one, even if that is more. Below it, Holdfast sends as many as the endpoint takes without failing or slowing down
             * @example 256
             */
            max_in_flight: number;
            /**
             * @description Maximum number of requests per second; null: no limit
             * @example null
             */
            max_per_second: number | null;
            /** @description Whether deliveries are made */
            is_active: boolean;
            /**
             * @description `is_active` as a word
             * @enum {string}
             */
            status: "active" | "inactive";
            /**
             * @description Failed deliveries in a row
             * @example 0
             */
            failure_count: number;
            /** @example 2026-03-20T10:30:08.610Z */
            last_success: string | null;
            last_failure: string | null;
            /** @description The error of the last failure */
            last_error: string | null;
            failing_since: string | null;
            previous_secret_valid_until: string | null;
            /**
             * Format: date-time
             * @description When the endpoint was created
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            /** @description Open requests that the endpoint has been found to take, at most `max_in_flight`; null: unknown */
            in_flight_limit: number | null;
            activity: components["schemas"]["EndpointActivity"];
        };
        /** @description The finished attempts of 200 deliveries at most, among its newest 1,000 within 24 hours; none while all of these wait */
        EndpointActivity: {
            attempts: number;
            succeeded: number;
            p50_ms: number | null;
            p95_ms: number | null;
        };
        AnyDeliveryPage: {
            data: components["schemas"]["AnyDelivery"][];
            /**
             * @description Whether there are more items
             * @example false
             */
            has_more: boolean;
            /** @description Pass it as `cursor` to get the next page; null on the last page */
            next_cursor: string | null;
        };
        AnyDelivery: {
            /**
             * @description Id
             * @example dlv_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description Null for the `webhook_url` of an execution
             * @example wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            endpoint_id: string | null;
            /** @example https://example.com/hooks/holdfast */
            url: string;
            /**
             * @description Id
             * @example evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            event_id: string;
            /** @example execution.completed */
            event_type: string;
            /**
             * @description Null when the event is about an endpoint
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            execution_id: string | null;
            /**
             * @description The endpoint that the event is about, if any
             * @example null
             */
            about_endpoint_id: string | null;
            /**
             * @example delivered
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed" | "expired";
            /** @description At most the last 50 */
            attempts: components["schemas"]["DeliveryAttempt"][];
            next_attempt_at: string | null;
            /**
             * Format: date-time
             * @description When it was created
             * @example 2026-03-20T10:30:08.425Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it expires if it has not succeeded
             * @example 2026-03-21T10:30:08.420Z
             */
            expires_at: string;
            /** @example 2026-03-20T10:30:08.610Z */
            finished_at: string | null;
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
        };
        DeliveryWithBody: {
            /**
             * @description Id
             * @example dlv_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description Null for the `webhook_url` of an execution
             * @example wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            endpoint_id: string | null;
            /** @example https://example.com/hooks/holdfast */
            url: string;
            /**
             * @description Id
             * @example evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            event_id: string;
            /** @example execution.completed */
            event_type: string;
            /**
             * @description Null when the event is about an endpoint
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            execution_id: string | null;
            /**
             * @description The endpoint that the event is about, if any
             * @example null
             */
            about_endpoint_id: string | null;
            /**
             * @example delivered
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed" | "expired";
            /** @description At most the last 50 */
            attempts: components["schemas"]["DeliveryAttempt"][];
            next_attempt_at: string | null;
            /**
             * Format: date-time
             * @description When it was created
             * @example 2026-03-20T10:30:08.425Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it expires if it has not succeeded
             * @example 2026-03-21T10:30:08.420Z
             */
            expires_at: string;
            /** @example 2026-03-20T10:30:08.610Z */
            finished_at: string | null;
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            /** @description The bytes that every attempt sends; null: they were erased */
            body: string | null;
        };
        RecoveredDeliveries: {
            /** @description Number of deliveries of this call that match */
            matched: number;
            /** @description Number of them that are due now */
            redelivered: number;
            /**
             * @description Whether there are more items
             * @example false
             */
            has_more: boolean;
            /** @description Pass it as `cursor` to get the next page; null on the last page */
            next_cursor: string | null;
        };
        ModelDefinitionList: {
            data: components["schemas"]["ModelDefinition"][];
            /** @description With `include=activity`: there are more failures than the newest 20,000, which were counted */
            has_more_failures?: boolean;
        };
        ModelDefinition: {
            slug: string;
            is_active: boolean;
            /**
             * @description Who decides about it: a file in MODELS_DIR, or the console, whose models `holdfast models apply` leaves as they are
             * @enum {string}
             */
            source: "file" | "console";
            /**
             * @description The YAML file with defaults filled in
             * @example {
             *       "slug": "sandbox-text"
             *     }
             */
            definition: {
                [key: string]: unknown;
            };
            /** @description With `include=activity`: without executions of test keys; the 7 days are whole days (UTC) and today */
            activity?: components["schemas"]["ModelActivity"];
        };
        ModelActivity: {
            last_24_hours: {
                completed: number;
                /** @description FAILED and EXPIRED */
                failed: number;
            };
            last_7_days: {
                completed: number;
                /** @description FAILED and EXPIRED */
                failed: number;
            };
        };
        StoredModel: {
            /** @example sandbox-text */
            slug: string;
            /** @description Whether it is offered */
            is_active: boolean;
            /**
             * @description Who decides about it: a file in MODELS_DIR, or the console, whose models `holdfast models apply` leaves as they are
             * @enum {string}
             */
            source: "file" | "console";
            /**
             * Format: uuid
             * @description Of the definition, derived from its content
             * @example 5d41402a-bc4b-2a76-b971-9d911017c592
             */
            version: string;
            /**
             * Format: date-time
             * @description When it was last changed
             * @example 2026-03-20T10:30:00.000Z
             */
            updated_at: string;
            /**
             * @description The definition, as a file in MODELS_DIR has it
             * @example slug: acme-text
             *     …
             */
            yaml: string;
            /**
             * @description The YAML with defaults filled in
             * @example {
             *       "slug": "sandbox-text"
             *     }
             */
            definition: {
                [key: string]: unknown;
            };
        };
        ModelCheck: {
            /** @description Null: the text has no valid one */
            slug: string | null;
            is_valid: boolean;
            problems: components["schemas"]["ModelProblem"][];
            /** @description Also of a valid text */
            warnings: components["schemas"]["ModelProblem"][];
            /** @description The model that it would replace, and the version to name in `PUT`; null: it is new */
            current: components["schemas"]["CurrentModel"] | null;
            /** @description What a valid text would change, with the defaults of both; for a new model everything */
            changes: components["schemas"]["ModelChange"][];
            /** @description Whether it would be offered */
            is_offered: boolean;
            /**
             * @description Why no provider could run it; null: one could, or the text is not valid
             * @example ACME_BASE_URL is not set
             */
            missing: string | null;
        };
        ModelProblem: {
            /** @description From 1; null: the whole text */
            line: number | null;
            message: string;
        };
        CurrentModel: {
            /**
             * Format: uuid
             * @description Of the definition, derived from its content
             * @example 5d41402a-bc4b-2a76-b971-9d911017c592
             */
            version: string;
            /**
             * @description Who decides about it: a file in MODELS_DIR, or the console, whose models `holdfast models apply` leaves as they are
             * @enum {string}
             */
            source: "file" | "console";
        };
        ModelChange: {
            /** @example price.per_run */
            field: string;
            /** @description The value that it has, as JSON; null: none */
            from: string | null;
            /** @description The value that it would have, as JSON; null: none */
            to: string | null;
        };
        AnyBatchPage: {
            data: components["schemas"]["AnyBatch"][];
            /**
             * @description Whether there are more items
             * @example false
             */
            has_more: boolean;
            /** @description Pass it as `cursor` to get the next page; null on the last page */
            next_cursor: string | null;
            /** @description Null: at all that the filters allow, or at no more than it returns */
            searched_until: string | null;
        };
        AnyBatch: {
            /**
             * @description Id
             * @example bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /** @description `open` takes items; `running`; `paused`, see `reason`; `finishing`: no more items start, and the last ones end; then `completed`, `cancelled` or `expired` */
            status: components["schemas"]["BatchStatus"];
            /**
             * @description Why it is paused; `input_errors`: why it was cancelled
             * @example null
             */
            reason: ("insufficient_balance" | "spend_limit" | "max_cost" | "requested" | "input_errors") | null;
            /**
             * @description What it becomes, or became, at its end; null before
             * @example null
             */
            ends_as: ("completed" | "cancelled" | "expired") | null;
            /**
             * @description Of items without one
             * @example sandbox-image
             */
            model: string | null;
            defaults: components["schemas"]["BatchDefaults"] | null;
            /** @description As submitted */
            metadata: components["schemas"]["Metadata"] | null;
            /** @example null */
            webhook_url: string | null;
            max_cost: string | null;
            /**
             * @example pause
             * @enum {string}
             */
            on_insufficient_balance: "pause" | "cancel";
            /** @example 86400 */
            completion_window_s: number;
            /**
             * @description Which events its executions have
             * @example none
             * @enum {string}
             */
            events: "none" | "failed" | "all";
            /** @example false */
            reserve: boolean;
            counts: components["schemas"]["BatchCounts"];
            /**
             * @description What was charged for its items
             * @example 0.048
             */
            cost: string;
            /**
             * @description What is held for the items that run
             * @example 0.048
             */
            held: string;
            /**
             * @description What is left of its reservation
             * @example 0.048
             */
            reserved: string;
            /**
             * @description Its completed items as NDJSON, readable while it runs
             * @example file_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            output_file_id: string;
            /**
             * @description Its other ended items as NDJSON
             * @example file_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            error_file_id: string;
            /**
             * Format: date-time
             * @description When it was created
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            sealed_at: string | null;
            /**
             * Format: date-time
             * @description When items that still wait expire
             * @example 2026-03-20T10:30:00.000Z
             */
            expires_at: string;
            /** @example null */
            ended_at: string | null;
            /** @example null */
            estimated_end_at: string | null;
            /** @example null */
            erased_at: string | null;
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
        };
        AnyExecutionPage: {
            data: components["schemas"]["AnyExecution"][];
            /**
             * @description Whether there are more items
             * @example false
             */
            has_more: boolean;
            /** @description Pass it as `cursor` to get the next page; null on the last page */
            next_cursor: string | null;
            /** @description Null: at all that the filters allow, or at no more than it returns */
            searched_until: string | null;
        };
        AnyExecution: {
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            status: components["schemas"]["ExecutionStatus"];
            /**
             * @description Model slug as submitted
             * @example sandbox-image
             */
            model: string;
            /**
             * @description The amount reserved from the balance; released if the execution does not complete
             * @example 0.048
             */
            hold_amount: string;
            /**
             * @description The expected cost
             * @example 0.048
             */
            estimated_cost: string;
            /**
             * Format: date-time
             * @description When it expires if it has no result
             * @example 2026-03-20T10:30:00.000Z
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description When it was accepted
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            /** @constant */
            mode: "ASYNC";
            priority: components["schemas"]["ExecutionPriority"];
            /**
             * @description Progress from 0 to 1, if known; 1 once completed
             * @example 1
             */
            progress: number | null;
            /**
             * @description Position in the queue of its provider, if known
             * @example null
             */
            queue_position: number | null;
            /** @description As submitted */
            metadata: components["schemas"]["Metadata"] | null;
            webhook_url: string | null;
            started_at: string | null;
            completed_at: string | null;
            cost: string | null;
            /** @description Why it failed or expired */
            error: components["schemas"]["ExecutionError"] | null;
            /** @example null */
            erased_at: string | null;
            /** @description Present when `COMPLETED`, until the execution is erased */
            result?: components["schemas"]["ExecutionOutput"];
            /** @description Present when `COMPLETED`, and when a cancel was charged */
            usage?: components["schemas"]["ExecutionUsage"];
            /**
             * @description Present when `COMPLETED`: milliseconds from creation to completion
             * @example 8420
             */
            latency_ms?: number;
            /**
             * @description Why the output ended, as the provider says it, such as `stop` or `length`; `budget`: the hold or the balance was used up; `deadline`: the execution was about to expire
             * @example stop
             */
            finish_reason?: string;
            /**
             * @description What a stream that did not complete had shown
             * @example Once upon a
             */
            partial_output?: string;
            /**
             * @description The batch of which it runs an item
             * @example bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            batch_id?: string;
            /**
             * @description The item's `custom_id`
             * @example line-17
             */
            custom_id?: string;
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
        };
        ExecutionWithAttempts: {
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            status: components["schemas"]["ExecutionStatus"];
            /**
             * @description Model slug as submitted
             * @example sandbox-image
             */
            model: string;
            /**
             * @description The amount reserved from the balance; released if the execution does not complete
             * @example 0.048
             */
            hold_amount: string;
            /**
             * @description The expected cost
             * @example 0.048
             */
            estimated_cost: string;
            /**
             * Format: date-time
             * @description When it expires if it has no result
             * @example 2026-03-20T10:30:00.000Z
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description When it was accepted
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            /** @constant */
            mode: "ASYNC";
            priority: components["schemas"]["ExecutionPriority"];
            /**
             * @description Progress from 0 to 1, if known; 1 once completed
             * @example 1
             */
            progress: number | null;
            /**
             * @description Position in the queue of its provider, if known
             * @example null
             */
            queue_position: number | null;
            /** @description As submitted */
            metadata: components["schemas"]["Metadata"] | null;
            webhook_url: string | null;
            started_at: string | null;
            completed_at: string | null;
            cost: string | null;
            /** @description Why it failed or expired */
            error: components["schemas"]["ExecutionError"] | null;
            /** @example null */
            erased_at: string | null;
            /** @description Present when `COMPLETED`, until the execution is erased */
            result?: components["schemas"]["ExecutionOutput"];
            /** @description Present when `COMPLETED`, and when a cancel was charged */
            usage?: components["schemas"]["ExecutionUsage"];
            /**
             * @description Present when `COMPLETED`: milliseconds from creation to completion
             * @example 8420
             */
            latency_ms?: number;
            /**
             * @description Why the output ended, as the provider says it, such as `stop` or `length`; `budget`: the hold or the balance was used up; `deadline`: the execution was about to expire
             * @example stop
             */
            finish_reason?: string;
            /**
             * @description What a stream that did not complete had shown
             * @example Once upon a
             */
            partial_output?: string;
            /**
             * @description The batch of which it runs an item
             * @example bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            batch_id?: string;
            /**
             * @description The item's `custom_id`
             * @example line-17
             */
            custom_id?: string;
            /** @description The provider's log, including logs that are not shown to clients */
            logs: string | null;
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            /**
             * @description As submitted; empty once erased
             * @example {
             *       "prompt": "Hello"
             *     }
             */
            input: {
                [key: string]: unknown;
            };
            /** @description The key that created it, or `operator` */
            api_key_id: string | null;
            rerun_of: string | null;
            /** @description The last 20 executions that repeat this one, newest first */
            reruns: components["schemas"]["Rerun"][];
            written_off: string | null;
            /**
             * @description What a refund may still return: what was charged, minus earlier refunds
             * @example 0.048
             */
            refundable: string;
            /** @description Null: its cost was not held back */
            review: components["schemas"]["Review"] | null;
            attempts: components["schemas"]["Attempt"][];
            /** @description In the order in which they were written */
            transactions: components["schemas"]["Transaction"][];
            /** @description First to last */
            events: components["schemas"]["ExecutionEvent"][];
            /** @description At most the last 100, newest first */
            deliveries: components["schemas"]["Delivery"][];
            /** @description The files of its output */
            files: components["schemas"]["File"][];
        };
        Rerun: {
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            status: components["schemas"]["ExecutionStatus"];
            /**
             * Format: date-time
             * @description When it was accepted
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
        };
        /** @description A cost that no one would believe: only the hold was charged, and an operator decides about the rest */
        Review: {
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            execution_id: string;
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            /** @description Null: the execution was dropped with its month */
            model: string | null;
            /**
             * @description The hold, which was charged when the execution completed
             * @example 0.048
             */
            hold: string;
            /**
             * @description The cost of what the provider reported; it can have hundreds of digits
             * @example 0.048
             */
            reported_cost: string;
            /** @enum {string} */
            state: "open" | "accepted" | "written_off";
            /**
             * Format: date-time
             * @description When the execution was settled
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            decided_at: string | null;
            /** @description The operator; null: it is open */
            decided_by: string | null;
            reason: string | null;
            charged: string | null;
        };
        Attempt: {
            /**
             * @description Id
             * @example att_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            number: number;
            /** @description The name of the provider connection */
            provider: string;
            /** @description The provider's name for the model */
            target: string;
            state: string;
            /** @description The provider's id of the run */
            external_id: string | null;
            /**
             * Format: date-time
             * @description When the attempt started
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            finished_at: string | null;
            duration_ms: number | null;
            settled_at: string | null;
            /** @description The outcome, with the error message that clients see */
            outcome: {
                ok: boolean;
                code: string | null;
                message: string | null;
            } | null;
            /** @description The provider's error, unmapped */
            raw_error: string | null;
            /** @description How many times the attempt was postponed because a provider was busy */
            busy_refusals: number;
            busy_since: string | null;
            cost: string | null;
            provider_cost: string | null;
            /** @description Names of quantities that were charged as estimated: the run neither reported nor showed them */
            estimated: string[];
        };
        ExecutionEvent: {
            /**
             * @description Id
             * @example evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            type: string;
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            /** @description The bytes that every attempt sends; null: it has no receiver yet */
            body: string | null;
        };
        AttemptList: {
            data: components["schemas"]["Attempt"][];
        };
        /**
         * @example {
         *       "id": "exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "status": "COMPLETED",
         *       "model": "sandbox-image",
         *       "hold_amount": "0.048",
         *       "estimated_cost": "0.04",
         *       "expires_at": "2026-03-20T10:40:00.000Z",
         *       "created_at": "2026-03-20T10:30:00.000Z",
         *       "mode": "ASYNC",
         *       "priority": "normal",
         *       "progress": 1,
         *       "queue_position": null,
         *       "metadata": {
         *         "order": "A-17"
         *       },
         *       "webhook_url": null,
         *       "started_at": "2026-03-20T10:30:00.120Z",
         *       "completed_at": "2026-03-20T10:30:08.420Z",
         *       "cost": "0.04",
         *       "error": null,
         *       "erased_at": null,
         *       "result": {
         *         "images": [
         *           {
         *             "file_id": "file_01981e9d-8f21-7b60-a2c4-6d0e8f1a2b3c",
         *             "format": "png",
         *             "width": 1024,
         *             "height": 768
         *           }
         *         ]
         *       },
         *       "usage": {
         *         "input_tokens": 0,
         *         "output_tokens": 0,
         *         "images": 1
         *       },
         *       "latency_ms": 8420
         *     }
         */
        Execution: {
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            status: components["schemas"]["ExecutionStatus"];
            /**
             * @description Model slug as submitted
             * @example sandbox-image
             */
            model: string;
            /**
             * @description The amount reserved from the balance; released if the execution does not complete
             * @example 0.048
             */
            hold_amount: string;
            /**
             * @description The expected cost
             * @example 0.048
             */
            estimated_cost: string;
            /**
             * Format: date-time
             * @description When it expires if it has no result
             * @example 2026-03-20T10:30:00.000Z
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description When it was accepted
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            /** @constant */
            mode: "ASYNC";
            priority: components["schemas"]["ExecutionPriority"];
            /**
             * @description Progress from 0 to 1, if known; 1 once completed
             * @example 1
             */
            progress: number | null;
            /**
             * @description Position in the queue of its provider, if known
             * @example null
             */
            queue_position: number | null;
            /** @description As submitted */
            metadata: components["schemas"]["Metadata"] | null;
            webhook_url: string | null;
            started_at: string | null;
            completed_at: string | null;
            cost: string | null;
            /** @description Why it failed or expired */
            error: components["schemas"]["ExecutionError"] | null;
            /** @example null */
            erased_at: string | null;
            /** @description Present when `COMPLETED`, until the execution is erased */
            result?: components["schemas"]["ExecutionOutput"];
            /** @description Present when `COMPLETED`, and when a cancel was charged */
            usage?: components["schemas"]["ExecutionUsage"];
            /**
             * @description Present when `COMPLETED`: milliseconds from creation to completion
             * @example 8420
             */
            latency_ms?: number;
            /**
             * @description Why the output ended, as the provider says it, such as `stop` or `length`; `budget`: the hold or the balance was used up; `deadline`: the execution was about to expire
             * @example stop
             */
            finish_reason?: string;
            /**
             * @description What a stream that did not complete had shown
             * @example Once upon a
             */
            partial_output?: string;
            /**
             * @description The batch of which it runs an item
             * @example bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            batch_id?: string;
            /**
             * @description The item's `custom_id`
             * @example line-17
             */
            custom_id?: string;
        };
        Refund: {
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            /**
             * @description The amount that was added; below 0 when a correction reduced the balance
             * @example 0.048
             */
            amount: string;
            reason: string | null;
            /**
             * @description The available balance right after the adjustment
             * @example 0.048
             */
            available_after: string;
            /**
             * Format: date-time
             * @description When it was added
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            balance: components["schemas"]["OrganizationBalance"];
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            execution_id: string;
        };
        RerunExecution: {
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            status: components["schemas"]["ExecutionStatus"];
            /**
             * @description Model slug as submitted
             * @example sandbox-image
             */
            model: string;
            /**
             * @description The amount reserved from the balance; released if the execution does not complete
             * @example 0.048
             */
            hold_amount: string;
            /**
             * @description The expected cost
             * @example 0.048
             */
            estimated_cost: string;
            /**
             * Format: date-time
             * @description When it expires if it has no result
             * @example 2026-03-20T10:30:00.000Z
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description When it was accepted
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            urls: components["schemas"]["ExecutionUrls"];
            /**
             * @description The original
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            rerun_of: string;
        };
        ReviewPage: {
            data: components["schemas"]["Review"][];
            /**
             * @description Whether there are more items
             * @example false
             */
            has_more: boolean;
            /** @description Pass it as `cursor` to get the next page; null on the last page */
            next_cursor: string | null;
        };
        Overview: {
            /**
             * Format: date-time
             * @description When it was read
             * @example 2026-03-20T10:30:00.000Z
             */
            at: string;
            /** @description What needs an operator, the urgent first */
            attention: components["schemas"]["AttentionItem"][];
            executions: components["schemas"]["OverviewExecutions"];
            /** @description The busiest models */
            models: components["schemas"]["OverviewModel"][];
            providers: components["schemas"]["OverviewProvider"][];
            /** @description Null: Redis does not respond */
            queues: components["schemas"]["Queue"][] | null;
            backlog: components["schemas"]["Backlog"][];
            deliveries: components["schemas"]["OverviewDeliveries"];
            audit: components["schemas"]["LedgerAudit"];
        };
        AttentionItem: {
            /** @enum {string} */
            code: "ledger_breach" | "ledger_not_audited" | "redis_unavailable" | "queue_paused" | "queue_unusable" | "queue_stuck" | "circuit_open" | "executions_waiting" | "executions_overdue" | "runs_abandoned" | "callbacks_unread" | "outcomes_unsettled" | "events_not_fanned_out" | "provider_busy" | "endpoints_deactivated" | "endpoints_failing" | "costs_in_review";
            /**
             * @description `page`: look now; `warn`: look today
             * @enum {string}
             */
            severity: "page" | "warn";
            /**
             * @description The queue, connection or invariant
             * @example settle
             */
            subject: string | null;
            /** @description How many there are */
            count: number | null;
            /** @description For how long */
            age_s: number | null;
            /** @description A sentence for a person */
            message: string;
            /** @description The page under `/docs/operate/alerts/` that says what to do */
            runbook: string;
        };
        OverviewExecutions: {
            /** @description The last 60 minutes, oldest first */
            minutes: components["schemas"]["OverviewMinute"][];
            /** @description Null: all of the 60 minutes are counted */
            counted_since: string | null;
            /** @description The most frequent errors */
            errors: components["schemas"]["OverviewError"][];
        };
        /** @description Executions created in this minute */
        OverviewMinute: {
            /**
             * Format: date-time
             * @description The minute
             * @example 2026-03-20T10:30:00.000Z
             */
            at: string;
            created: number;
            completed: number;
            /** @description Failed or expired */
            failed: number;
            cancelled: number;
        };
        OverviewError: {
            code: string;
            count: number;
        };
        OverviewModel: {
            model: string;
            created: number;
            completed: number;
            /** @description Failed or expired */
            failed: number;
            cancelled: number;
            /** @description Half complete within this time after their creation */
            p50_ms: number | null;
            p95_ms: number | null;
        };
        OverviewProvider: {
            connection: string;
            /** @description `open`: no runs go there; `probed`: one at a time; null: unknown, Redis does not respond */
            circuit: ("closed" | "open" | "probed") | null;
            open_until: string | null;
            attempts: number;
            /** @description Attempts that failed, were refused or whose outcome is unknown */
            failed: number;
            /** @description Attempts that have not ended */
            open: number;
            p50_ms: number | null;
        };
        Queue: {
            /** @example settle */
            queue: string;
            waiting: number;
            active: number;
            delayed: number;
            /** @description Jobs that failed and are kept */
            failed: number;
            /** @description Whether workers take no jobs from it */
            is_paused: boolean;
            /** @description Since when its first job waits; null: none does */
            oldest_waiting_s: number | null;
        };
        /** @description Pending work in the database, of which the queues only carry hints */
        Backlog: {
            /** @enum {string} */
            kind: "pending" | "waiting_tries" | "busy" | "running" | "abandoned" | "callbacks" | "unsettled" | "overdue" | "events" | "deliveries" | "reviews";
            /** @description At most 10,000 are counted */
            count: number;
            /** @description Age of the oldest; null: there is none */
            oldest_s: number | null;
        };
        OverviewDeliveries: {
            delivered: number;
            pending: number;
            failed: number;
            expired: number;
            /** @description Active endpoints that have been failing */
            endpoints_failing: number;
            /** @description Endpoints that failures have deactivated */
            endpoints_deactivated: number;
        };
        LedgerAudit: {
            /** @description Null: none has ended yet */
            finished_at: string | null;
            requested_at: string | null;
            /** @description Whether every invariant holds; null: unknown */
            is_consistent: boolean | null;
            invariants: components["schemas"]["AuditedInvariant"][];
        };
        AuditedInvariant: {
            /** @example every organization has its balance */
            invariant: string;
            /** @description Number of rows that break it; at most 100 are counted */
            broken_by: number;
        };
        Money: {
            /**
             * Format: date-time
             * @description Start of the period, inclusive, by completion time
             * @example 2026-03-20T10:30:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the period, exclusive
             * @example 2026-03-20T10:30:00.000Z
             */
            to: string;
            /**
             * @description What the period was rounded to, and the rows of `group_by=time`
             * @enum {string}
             */
            unit: "hour" | "day";
            /** @enum {string} */
            group_by: "model" | "provider" | "organization" | "time";
            /** @description In order of revenue, or of time; at most 500 */
            data: components["schemas"]["MoneyRow"][];
            total: components["schemas"]["MoneyTotal"];
        };
        MoneyRow: {
            /** @description A model, connection, organization id, or the start of an hour or day. Null: no known cost */
            group: string | null;
            /** @description An organization's name */
            name: string | null;
            /** @description Executions that completed */
            executions: number;
            /**
             * @description What clients paid for them
             * @example 0.048
             */
            revenue: string;
            /**
             * @description The part of `revenue` whose runs have a known cost at their provider
             * @example 0.048
             */
            known_revenue: string;
            /**
             * @description What these runs cost
             * @example 0.048
             */
            cost: string;
            /** @description Runs that cost something and that no client paid for: they failed, or were cancelled */
            lost_runs: number;
            /**
             * @description What those cost
             * @example 0.048
             */
            lost: string;
            /**
             * @description `known_revenue` without `cost` and `lost`
             * @example 0.048
             */
            margin: string;
        };
        /** @description The sum of all rows */
        MoneyTotal: {
            /** @description Executions that completed */
            executions: number;
            /**
             * @description What clients paid for them
             * @example 0.048
             */
            revenue: string;
            /**
             * @description The part of `revenue` whose runs have a known cost at their provider
             * @example 0.048
             */
            known_revenue: string;
            /**
             * @description What these runs cost
             * @example 0.048
             */
            cost: string;
            /** @description Runs that cost something and that no client paid for: they failed, or were cancelled */
            lost_runs: number;
            /**
             * @description What those cost
             * @example 0.048
             */
            lost: string;
            /**
             * @description `known_revenue` without `cost` and `lost`
             * @example 0.048
             */
            margin: string;
        };
        QueueList: {
            /** @description Null: Redis does not respond */
            queues: components["schemas"]["Queue"][] | null;
            backlog: components["schemas"]["Backlog"][];
        };
        FailedJobList: {
            data: components["schemas"]["FailedJob"][];
        };
        FailedJob: {
            id: string;
            /** @description The error of its last try */
            reason: string;
            tries: number;
            failed_at: string | null;
        };
        RetriedJobs: {
            /** @description Number of jobs */
            retried: number;
        };
        QueueState: {
            is_paused: boolean;
        };
        AdminActionPage: {
            data: components["schemas"]["AdminAction"][];
            /**
             * @description Whether there are more items
             * @example false
             */
            has_more: boolean;
            /** @description Pass it as `cursor` to get the next page; null on the last page */
            next_cursor: string | null;
        };
        AdminAction: {
            /**
             * @description Id
             * @example act_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * Format: date-time
             * @description When the action started
             * @example 2026-03-20T10:30:00.000Z
             */
            at: string;
            /** @description The name of the admin token */
            actor: string;
            address: string;
            /**
             * @description Id
             * @example req_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            request_id: string;
            /** @example POST /admin/v1/organizations/{id}/top-ups */
            action: string;
            organization_id: string | null;
            /** @description The id of the changed object, when it is not the organization itself */
            target: string | null;
            /** @description The response status; null: the action is still running or was interrupted */
            status: number | null;
            /**
             * @description The request body without secrets
             * @example {
             *       "amount": "25.00"
             *     }
             */
            details: {
                [key: string]: unknown;
            };
        };
        CurrentSession: {
            /** @description Null for a request with an admin token */
            id: string | null;
            /** @description The name of the operator */
            actor: string;
            role: components["schemas"]["OperatorRole"];
            /** @description Null: `ENVIRONMENT_NAME` is not set */
            environment: components["schemas"]["Environment"] | null;
        };
        /**
         * @description What the operator may do
         * @enum {string}
         */
        OperatorRole: "viewer" | "support" | "admin";
        /** @description What `ENVIRONMENT_NAME` says */
        Environment: {
            name: string;
            /** @enum {string} */
            color: "red" | "amber" | "green" | "blue" | "grey";
        };
        OperatorSession: {
            /**
             * @description Id
             * @example ses_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /** @description The name of the operator */
            actor: string;
            role: components["schemas"]["OperatorRole"];
            /**
             * @description How the operator signed in: with an admin token, a link, or at the OIDC provider
             * @enum {string}
             */
            method: "token" | "link" | "oidc";
            /** @description The address from which the operator signed in */
            address: string;
            user_agent: string;
            /**
             * Format: date-time
             * @description When the operator signed in
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the session ends
             * @example 2026-03-20T10:30:00.000Z
             */
            expires_at: string;
            /** @description Whether it is the session of this request */
            is_current: boolean;
        };
        OperatorSessionList: {
            data: components["schemas"]["OperatorSession"][];
        };
        RevokedSession: {
            /**
             * @description Id
             * @example ses_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /** @constant */
            revoked: true;
        };
        SignInLink: {
            token: string;
            /**
             * Format: date-time
             * @description When the link expires
             * @example 2026-03-20T10:30:00.000Z
             */
            expires_at: string;
        };
        SignInMethods: {
            /** @description Null: OIDC is not configured */
            oidc: components["schemas"]["OidcSignInMethod"] | null;
            /** @description Null: `ENVIRONMENT_NAME` is not set */
            environment: components["schemas"]["Environment"] | null;
        };
        OidcSignInMethod: {
            /** @description The name of the provider */
            label: string;
        };
        OidcSignIn: {
            /**
             * Format: uri
             * @description The page of the provider
             */
            authorization_url: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
