/** Written by scripts/generators/sdk.mjs: do not edit. */

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
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
         * @description Parameters of the model. Files are given as `file_` references
         * @example {
         *       "prompt": "a lighthouse"
         *     }
         */
        ModelInput: {
            [key: string]: unknown;
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
         * @example PENDING
         * @enum {string}
         */
        ExecutionStatus: "PENDING" | "PROCESSING" | "AWAITING_WEBHOOK" | "COMPLETED" | "FAILED" | "CANCELLED" | "EXPIRED";
        EstimateExecution: {
            /**
             * @description Model slug
             * @example sandbox-image
             */
            model: string;
            input: components["schemas"]["ModelInput"];
        };
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
             * @description Only counts the executions that match. Default: `false`
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
             * @description Only counts the executions that match. Default: `false`
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
        ExecutionTokenRequest: {
            /**
             * @description Seconds until the token expires. Default: `900`
             * @example 900
             */
            ttl_seconds?: number;
        };
        CreateBatch: {
            /**
             * @description Model slug of items without one
             * @example sandbox-image
             */
            model?: string;
            defaults?: components["schemas"]["BatchItemDefaults"];
            /** @description Your own data, returned in the record. At most 16 KiB of JSON */
            metadata?: components["schemas"]["Metadata"];
            /**
             * @description Receives the events of the batch
             * @example https://example.com/hooks
             */
            webhook_url?: string;
            /**
             * @description Pauses before an item whose hold, with what was charged and is held, would exceed this
             * @example 25.00
             */
            max_cost?: string;
            /**
             * @description `pause`: goes on by itself after a top-up; `cancel`: cancels the items that wait. Default: `"pause"`
             * @example pause
             * @enum {string}
             */
            on_insufficient_balance?: "pause" | "cancel";
            /**
             * @description Seconds from the seal until items that still wait expire. Default: `86400`
             * @example 86400
             */
            completion_window_s?: number;
            /**
             * @description Which events its executions have: none, those of failed and expired ones, or all. Default: `"none"`
             * @example none
             * @enum {string}
             */
            events?: "none" | "failed" | "all";
            /**
             * @description Takes the holds of all items from the balance at the seal, at most `max_cost`. Default: `false`
             * @example false
             */
            reserve?: boolean;
        };
        /** @description Of items that do not say otherwise: properties of an item take precedence */
        BatchItemDefaults: {
            input?: components["schemas"]["ModelInput"];
            /** @description Your own data, returned in the record. At most 16 KiB of JSON */
            metadata?: components["schemas"]["Metadata"];
            /**
             * @description Seconds until the execution expires; default: the model's timeout
             * @example 300
             */
            timeout_seconds?: number;
        };
        BatchItemsFile: {
            /**
             * @description An uploaded NDJSON file
             * @example file_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            input_file_id: string;
        };
        /**
         * @example completed
         * @enum {string}
         */
        BatchItemStatus: "waiting" | "running" | "completed" | "failed" | "cancelled" | "expired";
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
        /**
         * @example {
         *       "filename": "input-photo.png",
         *       "content_type": "image/png",
         *       "size_bytes": 2048576
         *     }
         */
        UploadRequest: components["schemas"]["DeclaredUpload"] | components["schemas"]["DerivedUpload"];
        DeclaredUpload: {
            /**
             * @description The name of the file
             * @example input-photo.png
             */
            filename: string;
            /**
             * @description Case is ignored; parameters and common aliases such as `image/jpg` and `audio/mp3` are accepted. Without it, or with `application/octet-stream` or an empty text, the bytes determine the type, and the extension of `filename` which text it is (`csv`, `json`, `jsonl`, `md`)
             * @example image/png
             * @enum {string}
             */
            content_type?: "image/png" | "image/jpeg" | "image/webp" | "image/gif" | "image/avif" | "image/tiff" | "image/bmp" | "image/heic" | "audio/mpeg" | "audio/wav" | "audio/x-wav" | "audio/ogg" | "audio/flac" | "audio/mp4" | "audio/aac" | "audio/webm" | "video/mp4" | "video/webm" | "video/quicktime" | "video/x-matroska" | "video/3gpp" | "model/gltf-binary" | "application/pdf" | "application/json" | "application/x-ndjson" | "application/zip" | "text/plain" | "text/csv" | "text/markdown" | "application/octet-stream";
            /**
             * @description The exact size
             * @example 2048576
             */
            size_bytes: number;
            /** @description The file is deleted after this many days; without it, the file is kept */
            ttl_days?: number;
            /**
             * @description When given, undeclared fields are derived from the uploaded bytes
             * @enum {string}
             */
            purpose?: "INPUT" | "UPLOAD";
            /**
             * @description Accepted for compatibility and ignored: there is one store
             * @enum {string}
             */
            region?: "US" | "EU" | "APAC";
        };
        /**
         * @description Undeclared fields are derived from the uploaded bytes
         * @example {
         *       "purpose": "INPUT"
         *     }
         */
        DerivedUpload: {
            /**
             * @description The name of the file
             * @example input-photo.png
             */
            filename?: string;
            /**
             * @description Case is ignored; parameters and common aliases such as `image/jpg` and `audio/mp3` are accepted. Without it, or with `application/octet-stream` or an empty text, the bytes determine the type, and the extension of `filename` which text it is (`csv`, `json`, `jsonl`, `md`)
             * @example image/png
             * @enum {string}
             */
            content_type?: "image/png" | "image/jpeg" | "image/webp" | "image/gif" | "image/avif" | "image/tiff" | "image/bmp" | "image/heic" | "audio/mpeg" | "audio/wav" | "audio/x-wav" | "audio/ogg" | "audio/flac" | "audio/mp4" | "audio/aac" | "audio/webm" | "video/mp4" | "video/webm" | "video/quicktime" | "video/x-matroska" | "video/3gpp" | "model/gltf-binary" | "application/pdf" | "application/json" | "application/x-ndjson" | "application/zip" | "text/plain" | "text/csv" | "text/markdown" | "application/octet-stream";
            /**
             * @description The exact size
             * @example 2048576
             */
            size_bytes?: number;
            /** @description The file is deleted after this many days; without it, the file is kept */
            ttl_days?: number;
            /**
             * @description When given, undeclared fields are derived from the uploaded bytes
             * @enum {string}
             */
            purpose: "INPUT" | "UPLOAD";
            /**
             * @description Accepted for compatibility and ignored: there is one store
             * @enum {string}
             */
            region?: "US" | "EU" | "APAC";
        };
        ConfirmRequest: {
            /**
             * @description Id
             * @example file_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            file_id: string;
        };
        WebhookEndpointRequest: {
            /**
             * @description An HTTPS URL on port 443 or 8443, with a host name or an address. The operator may allow ports 1024 and above
             * @example https://example.com/hooks
             */
            url: string;
            /**
             * @description A label. Default: `""`
             * @example Production
             */
            description?: string;
            /**
             * @description Event types to send; empty: all execution events (`execution.*`). Events about your other endpoints (`endpoint.failing`, `endpoint.deactivated`, `endpoint.recovered`) are sent only to endpoints that list them or `endpoint.*`; those about batches (`batch.completed`, `batch.paused`, `batch.cancelled`, `batch.expired`) to those that list them or `batch.*`. Default: `[]`
             * @example [
             *       "execution.completed",
             *       "execution.failed"
             *     ]
             */
            events?: ("execution.started" | "execution.completed" | "execution.failed" | "execution.cancelled" | "execution.expired" | "endpoint.failing" | "endpoint.deactivated" | "endpoint.recovered" | "batch.completed" | "batch.paused" | "batch.cancelled" | "batch.expired" | "execution.*" | "endpoint.*" | "batch.*")[];
            /**
             * @description Slugs of the models whose events are sent; empty: all models, or those of the API key if it is limited to `models`. Default: `[]`
             * @example [
             *       "sandbox-image"
             *     ]
             */
            models?: string[];
            /**
             * @description `full`: the execution with its result. `thin`: only its id and status, for receivers that read the execution themselves. Default: `"full"`
             * @example full
             * @enum {string}
             */
            payload?: "full" | "thin";
            /**
             * @description Whose webhooks the deliveries look like. `openai`: `response.completed`, `response.failed`, `response.cancelled` and `response.incomplete` with the id of the response, `video.completed` and `video.failed` with that of a video, and `batch.*` with that of the batch, which the SDKs' `webhooks.unwrap()` verifies and reads; other events are not delivered. Default: `"holdfast"`
             * @example holdfast
             * @enum {string}
             */
            dialect?: "holdfast" | "openai";
            /**
             * @description Upper bound of concurrent requests to the endpoint; each webhook-sender of the service may have one, even if that is more. Below it, Holdfast sends as many as the endpoint takes without failing or slowing down. Default: `256`
             * @example 256
             */
            max_in_flight?: number;
            /**
             * @description Maximum number of requests per second; null: no limit. Default: `null`
             * @example null
             */
            max_per_second?: number | null;
            /** @description Default: `{}` */
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
        TestEventRequest: {
            /**
             * @description The type of the event. Default: `"webhook.test"`
             * @example execution.completed
             * @enum {string}
             */
            type?: "webhook.test" | "execution.started" | "execution.completed" | "execution.failed" | "execution.cancelled" | "execution.expired" | "endpoint.failing" | "endpoint.deactivated" | "endpoint.recovered" | "batch.completed" | "batch.paused" | "batch.cancelled" | "batch.expired";
        };
        RecoverRequest: {
            /**
             * @description Deliveries created since this time
             * @example 2026-03-20T10:00:00Z
             */
            since: string;
        };
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
            /** @description Seconds from the use of the link until the session ends. Default: `3600` */
            expires_in_s?: number;
            /**
             * @description Origins of the pages that may show the portal in a frame; empty: none. Default: `[]`
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
        ExecutionPage: {
            data: components["schemas"]["Execution"][];
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
        DeletedExecution: {
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /** @constant */
            deleted: true;
        };
        ExecutionInput: {
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            execution_id: string;
            input: components["schemas"]["ModelInput"];
        };
        ExecutionResult: {
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            execution_id: string;
            /** @constant */
            status: "COMPLETED";
            output: components["schemas"]["ExecutionOutput"];
            usage: components["schemas"]["ExecutionUsage"];
            /**
             * @description The amount charged
             * @example 0.048
             */
            cost: string;
            /**
             * @description Milliseconds from creation to completion
             * @example 8420
             */
            latency_ms: number;
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
        ExecutionToken: {
            /**
             * @description Send it as `Authorization: Bearer <token>`
             * @example ext_WyJleGVjXzAxOTgxZTljIiwia2V5XzAxOTgxZTljIl0.5257a869e7ecebeda32affa62cdca3fa51cad7e77a0
             */
            token: string;
            /**
             * @description The execution that the token can read
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            execution_id: string;
            /**
             * Format: date-time
             * @description When the token expires
             * @example 2026-03-20T10:30:00.000Z
             */
            expires_at: string;
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
        BatchPage: {
            data: components["schemas"]["Batch"][];
            /**
             * @description Whether there are more items
             * @example false
             */
            has_more: boolean;
            /** @description Pass it as `cursor` to get the next page; null on the last page */
            next_cursor: string | null;
        };
        DeletedBatch: {
            /**
             * @description Id
             * @example bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /** @constant */
            deleted: true;
        };
        BatchItemPage: {
            data: components["schemas"]["BatchItem"][];
            /**
             * @description Whether there are more items
             * @example false
             */
            has_more: boolean;
            /** @description Pass it as `cursor` to get the next page; null on the last page */
            next_cursor: string | null;
        };
        BatchItem: {
            /** @example line-17 */
            custom_id: string;
            status: components["schemas"]["BatchItemStatus"];
            /** @example sandbox-image */
            model: string;
            /**
             * @description The execution that runs it, or ran it last; null: it had none
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            execution_id: string | null;
            /**
             * @description The expected cost
             * @example 0.048
             */
            estimated_cost: string;
            /**
             * @description What is held while it runs
             * @example 0.048
             */
            hold_amount: string;
            cost: string | null;
            /**
             * @description Why it failed or expired
             * @example null
             */
            error: components["schemas"]["BatchItemError"] | null;
        };
        BatchItemError: {
            /** @example GENERATION_FAILED */
            code: string;
            message: string;
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
        ModelList: {
            data: components["schemas"]["Model"][];
        };
        Model: {
            /** @example sandbox-image */
            slug: string;
            /** @example Sandbox image */
            display_name: string;
            /** @example Draws an image of a prompt. */
            description: string;
            price: components["schemas"]["ModelPrice"];
            /**
             * @description Seconds until an execution expires, unless the request sets `timeout_seconds`
             * @example 600
             */
            timeout_seconds: number;
            input_schema: components["schemas"]["InputSchema"];
            output_schema: components["schemas"]["OutputSchema"];
            /**
             * @description What the model shows while it runs, to executions with `stream: true`; null: nothing
             * @example null
             */
            stream: ("text" | "json" | "audio" | "image") | null;
            /**
             * @description What a cancel of a stream costs after output was shown: nothing (`release`), or what was shown (`charge`)
             * @example null
             */
            on_cancel: ("release" | "charge") | null;
        };
        /**
         * @example {
         *       "currency": "USD",
         *       "entries": [
         *         {
         *           "unit": "image",
         *           "rows": [
         *             {
         *               "when": {},
         *               "price": "0.04"
         *             }
         *           ]
         *         }
         *       ],
         *       "per_image": "0.04"
         *     }
         */
        ModelPrice: {
            /** @constant */
            currency: "USD";
            /** @description All prices of the model; a run costs their sum */
            entries: components["schemas"]["PriceEntry"][];
            /**
             * @description The least that a completed run costs
             * @example 0.048
             */
            minimum?: string;
            /**
             * @description Per run, if it does not depend on the input, like those below
             * @example 0.048
             */
            per_run?: string;
            /**
             * @description Per second of the output, or of the run
             * @example 0.048
             */
            per_second?: string;
            /**
             * @description Per image
             * @example 0.048
             */
            per_image?: string;
            /**
             * @description Per million output pixels
             * @example 0.048
             */
            per_megapixel?: string;
            /**
             * @description Per input token
             * @example 0.048
             */
            per_input_token?: string;
            /**
             * @description Per output token
             * @example 0.048
             */
            per_output_token?: string;
        };
        PriceEntry: {
            /**
             * @description What is priced
             * @example image
             * @enum {string}
             */
            unit: "run" | "second" | "image" | "megapixel" | "input_token" | "output_token" | "character" | "input_second" | "input_megapixel" | "unit";
            /**
             * @description The input property with the text, the files or the number; of units of the input
             * @example steps
             */
            input?: string;
            /** @description The first row that fits the input applies. One row if the price does not depend on the input */
            rows: components["schemas"]["PriceRow"][];
        };
        PriceRow: {
            when: components["schemas"]["PriceCondition"];
            /**
             * @description The price of one unit
             * @example 0.04
             */
            price: string;
        };
        /**
         * @description Values of input properties; empty: any input
         * @example {
         *       "quality": "high"
         *     }
         */
        PriceCondition: {
            [key: string]: string | number | boolean;
        };
        /**
         * @description JSON Schema of `input`
         * @example {
         *       "type": "object",
         *       "required": [
         *         "prompt"
         *       ],
         *       "properties": {
         *         "prompt": {
         *           "type": "string"
         *         }
         *       }
         *     }
         */
        InputSchema: {
            [key: string]: unknown;
        };
        /**
         * @description JSON Schema of the output. Strings with `format: file` are ids of files
         * @example {
         *       "type": "object",
         *       "required": [
         *         "text"
         *       ],
         *       "properties": {
         *         "text": {
         *           "type": "string"
         *         }
         *       }
         *     }
         */
        OutputSchema: {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "available": "9.40",
         *       "held": "0.60",
         *       "total": "10.00",
         *       "currency": "USD",
         *       "spend_limit": null
         *     }
         */
        Balance: {
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
        Upload: {
            /**
             * @description The reference to use in the input of an execution
             * @example file_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            file_id: string;
            /**
             * Format: uri
             * @description PUT the bytes here before `expires_at`, without the API key
             * @example https://files.example.com/file_01981e9c?expires=1774006200&signature=5257a869
             */
            upload_url: string;
            /**
             * Format: date-time
             * @description When the upload URL expires
             * @example 2026-03-20T11:30:00.000Z
             */
            expires_at: string;
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
        DeletedFile: {
            /**
             * @description Id
             * @example file_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            file_id: string;
            /** @constant */
            deleted: true;
        };
        DownloadUrl: {
            /**
             * @description Id
             * @example file_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            file_id: string;
            /**
             * Format: uri
             * @description GET this URL before `expires_at`, without the API key
             * @example https://files.example.com/file_01981e9c?expires=1774006200&signature=5257a869
             */
            url: string;
            /**
             * Format: date-time
             * @description When the URL expires: one hour after the request
             * @example 2026-03-20T10:30:00.000Z
             */
            expires_at: string;
            /** @example image/png */
            content_type: string;
            /** @example 1048576 */
            size_bytes: number;
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
        DeletedWebhookEndpoint: {
            /**
             * @description Id
             * @example wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /** @constant */
            deleted: true;
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
        WebhookSecret: {
            /** @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD */
            secret: string;
            /** @example 2026-03-21T10:30:00.000Z */
            previous_secret_valid_until: string | null;
        };
        EventPage: {
            data: components["schemas"]["Event"][];
            /**
             * @description Whether there are more items
             * @example false
             */
            has_more: boolean;
            /** @description Pass it as `cursor` to get the next page; null on the last page */
            next_cursor: string | null;
        };
        /**
         * @description An event; `type` says which. More types may be added: ignore those that you do not know
         * @example {
         *       "id": "evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "type": "execution.completed",
         *       "event_type": "execution.completed",
         *       "timestamp": "2026-03-20T10:30:08.420Z",
         *       "version": "1.0",
         *       "organization_id": "org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "execution_id": "exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "data": {
         *         "id": "exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *         "status": "COMPLETED",
         *         "model": "sandbox-image",
         *         "hold_amount": "0.048",
         *         "estimated_cost": "0.04",
         *         "expires_at": "2026-03-20T10:40:00.000Z",
         *         "created_at": "2026-03-20T10:30:00.000Z",
         *         "mode": "ASYNC",
         *         "priority": "normal",
         *         "progress": 1,
         *         "queue_position": null,
         *         "metadata": {
         *           "order": "A-17"
         *         },
         *         "webhook_url": null,
         *         "started_at": "2026-03-20T10:30:00.120Z",
         *         "completed_at": "2026-03-20T10:30:08.420Z",
         *         "cost": "0.04",
         *         "error": null,
         *         "erased_at": null,
         *         "result": {
         *           "images": [
         *             {
         *               "file_id": "file_01981e9d-8f21-7b60-a2c4-6d0e8f1a2b3c",
         *               "format": "png",
         *               "width": 1024,
         *               "height": 768
         *             }
         *           ]
         *         },
         *         "usage": {
         *           "input_tokens": 0,
         *           "output_tokens": 0,
         *           "images": 1
         *         },
         *         "latency_ms": 8420
         *       }
         *     }
         */
        Event: components["schemas"]["ExecutionStartedEvent"] | components["schemas"]["ExecutionCompletedEvent"] | components["schemas"]["ExecutionFailedEvent"] | components["schemas"]["ExecutionCancelledEvent"] | components["schemas"]["ExecutionExpiredEvent"] | components["schemas"]["EndpointFailingEvent"] | components["schemas"]["EndpointDeactivatedEvent"] | components["schemas"]["EndpointRecoveredEvent"] | components["schemas"]["BatchCompletedEvent"] | components["schemas"]["BatchPausedEvent"] | components["schemas"]["BatchCancelledEvent"] | components["schemas"]["BatchExpiredEvent"] | components["schemas"]["WebhookTestEvent"];
        /**
         * @example {
         *       "id": "evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "type": "execution.started",
         *       "event_type": "execution.started",
         *       "timestamp": "2026-03-20T10:30:08.420Z",
         *       "version": "1.0",
         *       "organization_id": "org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "execution_id": "exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "data": {
         *         "id": "exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *         "status": "PROCESSING",
         *         "model": "sandbox-image",
         *         "hold_amount": "0.048",
         *         "estimated_cost": "0.04",
         *         "expires_at": "2026-03-20T10:40:00.000Z",
         *         "created_at": "2026-03-20T10:30:00.000Z",
         *         "mode": "ASYNC",
         *         "priority": "normal",
         *         "progress": null,
         *         "queue_position": null,
         *         "metadata": {
         *           "order": "A-17"
         *         },
         *         "webhook_url": null,
         *         "started_at": "2026-03-20T10:30:00.120Z",
         *         "completed_at": null,
         *         "cost": null,
         *         "error": null,
         *         "erased_at": null
         *       }
         *     }
         */
        ExecutionStartedEvent: {
            /**
             * @description The same in every attempt: drop ids that you have already seen
             * @example evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "execution.started";
            /**
             * @description The same as `type`
             * @constant
             */
            event_type: "execution.started";
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-03-20T10:30:08.420Z
             */
            timestamp: string;
            /** @constant */
            version: "1.0";
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            /**
             * @description Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
             * @constant
             */
            test?: true;
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            execution_id: string;
            /**
             * @description The full event would exceed 256 KiB: read the execution instead
             * @constant
             */
            truncated?: true;
            /** @description The execution, as `GET /v1/executions/{id}` returned it then, without `logs` and `urls`. Only its id and status with `payload: "thin"`, and when the event is `truncated` */
            data: components["schemas"]["Execution"] | components["schemas"]["ExecutionReference"];
        };
        /** @description For events without the execution itself: read it by its id */
        ExecutionReference: {
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            status: components["schemas"]["ExecutionStatus"];
        };
        /**
         * @example {
         *       "id": "evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "type": "execution.completed",
         *       "event_type": "execution.completed",
         *       "timestamp": "2026-03-20T10:30:08.420Z",
         *       "version": "1.0",
         *       "organization_id": "org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "execution_id": "exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "data": {
         *         "id": "exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *         "status": "COMPLETED",
         *         "model": "sandbox-image",
         *         "hold_amount": "0.048",
         *         "estimated_cost": "0.04",
         *         "expires_at": "2026-03-20T10:40:00.000Z",
         *         "created_at": "2026-03-20T10:30:00.000Z",
         *         "mode": "ASYNC",
         *         "priority": "normal",
         *         "progress": 1,
         *         "queue_position": null,
         *         "metadata": {
         *           "order": "A-17"
         *         },
         *         "webhook_url": null,
         *         "started_at": "2026-03-20T10:30:00.120Z",
         *         "completed_at": "2026-03-20T10:30:08.420Z",
         *         "cost": "0.04",
         *         "error": null,
         *         "erased_at": null,
         *         "result": {
         *           "images": [
         *             {
         *               "file_id": "file_01981e9d-8f21-7b60-a2c4-6d0e8f1a2b3c",
         *               "format": "png",
         *               "width": 1024,
         *               "height": 768
         *             }
         *           ]
         *         },
         *         "usage": {
         *           "input_tokens": 0,
         *           "output_tokens": 0,
         *           "images": 1
         *         },
         *         "latency_ms": 8420
         *       }
         *     }
         */
        ExecutionCompletedEvent: {
            /**
             * @description The same in every attempt: drop ids that you have already seen
             * @example evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "execution.completed";
            /**
             * @description The same as `type`
             * @constant
             */
            event_type: "execution.completed";
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-03-20T10:30:08.420Z
             */
            timestamp: string;
            /** @constant */
            version: "1.0";
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            /**
             * @description Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
             * @constant
             */
            test?: true;
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            execution_id: string;
            /**
             * @description The full event would exceed 256 KiB: read the execution instead
             * @constant
             */
            truncated?: true;
            /** @description The execution, as `GET /v1/executions/{id}` returned it then, without `logs` and `urls`. Only its id and status with `payload: "thin"`, and when the event is `truncated` */
            data: components["schemas"]["Execution"] | components["schemas"]["ExecutionReference"];
        };
        /**
         * @example {
         *       "id": "evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "type": "execution.failed",
         *       "event_type": "execution.failed",
         *       "timestamp": "2026-03-20T10:30:08.420Z",
         *       "version": "1.0",
         *       "organization_id": "org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "execution_id": "exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "data": {
         *         "id": "exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *         "status": "FAILED",
         *         "model": "sandbox-image",
         *         "hold_amount": "0.048",
         *         "estimated_cost": "0.04",
         *         "expires_at": "2026-03-20T10:40:00.000Z",
         *         "created_at": "2026-03-20T10:30:00.000Z",
         *         "mode": "ASYNC",
         *         "priority": "normal",
         *         "progress": 1,
         *         "queue_position": null,
         *         "metadata": {
         *           "order": "A-17"
         *         },
         *         "webhook_url": null,
         *         "started_at": "2026-03-20T10:30:00.120Z",
         *         "completed_at": "2026-03-20T10:30:08.420Z",
         *         "cost": null,
         *         "error": {
         *           "code": "GENERATION_FAILED",
         *           "message": "The provider failed to produce an output.",
         *           "retryable": true
         *         },
         *         "erased_at": null
         *       }
         *     }
         */
        ExecutionFailedEvent: {
            /**
             * @description The same in every attempt: drop ids that you have already seen
             * @example evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "execution.failed";
            /**
             * @description The same as `type`
             * @constant
             */
            event_type: "execution.failed";
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-03-20T10:30:08.420Z
             */
            timestamp: string;
            /** @constant */
            version: "1.0";
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            /**
             * @description Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
             * @constant
             */
            test?: true;
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            execution_id: string;
            /**
             * @description The full event would exceed 256 KiB: read the execution instead
             * @constant
             */
            truncated?: true;
            /** @description The execution, as `GET /v1/executions/{id}` returned it then, without `logs` and `urls`. Only its id and status with `payload: "thin"`, and when the event is `truncated` */
            data: components["schemas"]["Execution"] | components["schemas"]["ExecutionReference"];
        };
        /**
         * @example {
         *       "id": "evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "type": "execution.cancelled",
         *       "event_type": "execution.cancelled",
         *       "timestamp": "2026-03-20T10:30:08.420Z",
         *       "version": "1.0",
         *       "organization_id": "org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "execution_id": "exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "data": {
         *         "id": "exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *         "status": "CANCELLED",
         *         "model": "sandbox-image",
         *         "hold_amount": "0.048",
         *         "estimated_cost": "0.04",
         *         "expires_at": "2026-03-20T10:40:00.000Z",
         *         "created_at": "2026-03-20T10:30:00.000Z",
         *         "mode": "ASYNC",
         *         "priority": "normal",
         *         "progress": 1,
         *         "queue_position": null,
         *         "metadata": {
         *           "order": "A-17"
         *         },
         *         "webhook_url": null,
         *         "started_at": "2026-03-20T10:30:00.120Z",
         *         "completed_at": "2026-03-20T10:30:08.420Z",
         *         "cost": null,
         *         "error": null,
         *         "erased_at": null
         *       }
         *     }
         */
        ExecutionCancelledEvent: {
            /**
             * @description The same in every attempt: drop ids that you have already seen
             * @example evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "execution.cancelled";
            /**
             * @description The same as `type`
             * @constant
             */
            event_type: "execution.cancelled";
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-03-20T10:30:08.420Z
             */
            timestamp: string;
            /** @constant */
            version: "1.0";
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            /**
             * @description Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
             * @constant
             */
            test?: true;
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            execution_id: string;
            /**
             * @description The full event would exceed 256 KiB: read the execution instead
             * @constant
             */
            truncated?: true;
            /** @description The execution, as `GET /v1/executions/{id}` returned it then, without `logs` and `urls`. Only its id and status with `payload: "thin"`, and when the event is `truncated` */
            data: components["schemas"]["Execution"] | components["schemas"]["ExecutionReference"];
        };
        /**
         * @example {
         *       "id": "evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "type": "execution.expired",
         *       "event_type": "execution.expired",
         *       "timestamp": "2026-03-20T10:30:08.420Z",
         *       "version": "1.0",
         *       "organization_id": "org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "execution_id": "exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "data": {
         *         "id": "exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *         "status": "EXPIRED",
         *         "model": "sandbox-image",
         *         "hold_amount": "0.048",
         *         "estimated_cost": "0.04",
         *         "expires_at": "2026-03-20T10:40:00.000Z",
         *         "created_at": "2026-03-20T10:30:00.000Z",
         *         "mode": "ASYNC",
         *         "priority": "normal",
         *         "progress": 1,
         *         "queue_position": null,
         *         "metadata": {
         *           "order": "A-17"
         *         },
         *         "webhook_url": null,
         *         "started_at": "2026-03-20T10:30:00.120Z",
         *         "completed_at": "2026-03-20T10:30:08.420Z",
         *         "cost": null,
         *         "error": {
         *           "code": "GENERATION_TIMEOUT",
         *           "message": "There was no result in time.",
         *           "retryable": true
         *         },
         *         "erased_at": null
         *       }
         *     }
         */
        ExecutionExpiredEvent: {
            /**
             * @description The same in every attempt: drop ids that you have already seen
             * @example evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "execution.expired";
            /**
             * @description The same as `type`
             * @constant
             */
            event_type: "execution.expired";
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-03-20T10:30:08.420Z
             */
            timestamp: string;
            /** @constant */
            version: "1.0";
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            /**
             * @description Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
             * @constant
             */
            test?: true;
            /**
             * @description Id
             * @example exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            execution_id: string;
            /**
             * @description The full event would exceed 256 KiB: read the execution instead
             * @constant
             */
            truncated?: true;
            /** @description The execution, as `GET /v1/executions/{id}` returned it then, without `logs` and `urls`. Only its id and status with `payload: "thin"`, and when the event is `truncated` */
            data: components["schemas"]["Execution"] | components["schemas"]["ExecutionReference"];
        };
        /**
         * @example {
         *       "id": "evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "type": "endpoint.failing",
         *       "event_type": "endpoint.failing",
         *       "timestamp": "2026-03-20T10:30:08.420Z",
         *       "version": "1.0",
         *       "organization_id": "org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "endpoint_id": "wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "data": {
         *         "id": "wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *         "url": "https://example.com/hooks/holdfast",
         *         "is_active": true,
         *         "failure_count": 4,
         *         "last_error": "HTTP 500"
         *       }
         *     }
         */
        EndpointFailingEvent: {
            /**
             * @description The same in every attempt: drop ids that you have already seen
             * @example evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "endpoint.failing";
            /**
             * @description The same as `type`
             * @constant
             */
            event_type: "endpoint.failing";
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-03-20T10:30:08.420Z
             */
            timestamp: string;
            /** @constant */
            version: "1.0";
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            /**
             * @description Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
             * @constant
             */
            test?: true;
            /**
             * @description The endpoint that the event is about
             * @example wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            endpoint_id: string;
            data: components["schemas"]["WebhookEndpointState"];
        };
        WebhookEndpointState: {
            /**
             * @description Id
             * @example wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /** @example https://example.com/hooks/holdfast */
            url: string;
            /** @example true */
            is_active: boolean;
            /** @example 4 */
            failure_count: number;
            /** @example HTTP 500 */
            last_error: string | null;
        };
        /**
         * @example {
         *       "id": "evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "type": "endpoint.deactivated",
         *       "event_type": "endpoint.deactivated",
         *       "timestamp": "2026-03-20T10:30:08.420Z",
         *       "version": "1.0",
         *       "organization_id": "org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "endpoint_id": "wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "data": {
         *         "id": "wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *         "url": "https://example.com/hooks/holdfast",
         *         "is_active": false,
         *         "failure_count": 10,
         *         "last_error": "HTTP 500"
         *       }
         *     }
         */
        EndpointDeactivatedEvent: {
            /**
             * @description The same in every attempt: drop ids that you have already seen
             * @example evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "endpoint.deactivated";
            /**
             * @description The same as `type`
             * @constant
             */
            event_type: "endpoint.deactivated";
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-03-20T10:30:08.420Z
             */
            timestamp: string;
            /** @constant */
            version: "1.0";
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            /**
             * @description Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
             * @constant
             */
            test?: true;
            /**
             * @description The endpoint that the event is about
             * @example wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            endpoint_id: string;
            data: components["schemas"]["WebhookEndpointState"];
        };
        /**
         * @example {
         *       "id": "evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "type": "endpoint.recovered",
         *       "event_type": "endpoint.recovered",
         *       "timestamp": "2026-03-20T10:30:08.420Z",
         *       "version": "1.0",
         *       "organization_id": "org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "endpoint_id": "wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "data": {
         *         "id": "wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *         "url": "https://example.com/hooks/holdfast",
         *         "is_active": true,
         *         "failure_count": 0,
         *         "last_error": null
         *       }
         *     }
         */
        EndpointRecoveredEvent: {
            /**
             * @description The same in every attempt: drop ids that you have already seen
             * @example evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "endpoint.recovered";
            /**
             * @description The same as `type`
             * @constant
             */
            event_type: "endpoint.recovered";
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-03-20T10:30:08.420Z
             */
            timestamp: string;
            /** @constant */
            version: "1.0";
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            /**
             * @description Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
             * @constant
             */
            test?: true;
            /**
             * @description The endpoint that the event is about
             * @example wh_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            endpoint_id: string;
            data: components["schemas"]["WebhookEndpointState"];
        };
        /**
         * @example {
         *       "id": "evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "type": "batch.completed",
         *       "event_type": "batch.completed",
         *       "timestamp": "2026-03-20T10:30:08.420Z",
         *       "version": "1.0",
         *       "organization_id": "org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "batch_id": "bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "data": {
         *         "id": "bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *         "status": "completed",
         *         "reason": null,
         *         "counts": {
         *           "total": 1000,
         *           "waiting": 0,
         *           "running": 0,
         *           "completed": 999,
         *           "failed": 1,
         *           "cancelled": 0,
         *           "expired": 0
         *         },
         *         "cost": "39.96",
         *         "metadata": {
         *           "order": "A-17"
         *         }
         *       }
         *     }
         */
        BatchCompletedEvent: {
            /**
             * @description The same in every attempt: drop ids that you have already seen
             * @example evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "batch.completed";
            /**
             * @description The same as `type`
             * @constant
             */
            event_type: "batch.completed";
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-03-20T10:30:08.420Z
             */
            timestamp: string;
            /** @constant */
            version: "1.0";
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            /**
             * @description Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
             * @constant
             */
            test?: true;
            /**
             * @description Id
             * @example bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            batch_id: string;
            data: components["schemas"]["BatchState"];
        };
        BatchState: {
            /**
             * @description Id
             * @example bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            status: components["schemas"]["BatchStatus"];
            /**
             * @description Why it is paused; `input_errors`: why it was cancelled
             * @example null
             */
            reason: ("insufficient_balance" | "spend_limit" | "max_cost" | "requested" | "input_errors") | null;
            counts: components["schemas"]["BatchCounts"];
            /**
             * @description What was charged for its items
             * @example 0.048
             */
            cost: string;
            metadata: components["schemas"]["Metadata"] | null;
        };
        /**
         * @example {
         *       "id": "evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "type": "batch.paused",
         *       "event_type": "batch.paused",
         *       "timestamp": "2026-03-20T10:30:08.420Z",
         *       "version": "1.0",
         *       "organization_id": "org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "batch_id": "bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "data": {
         *         "id": "bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *         "status": "paused",
         *         "reason": "max_cost",
         *         "counts": {
         *           "total": 1000,
         *           "waiting": 1,
         *           "running": 0,
         *           "completed": 999,
         *           "failed": 0,
         *           "cancelled": 0,
         *           "expired": 0
         *         },
         *         "cost": "39.96",
         *         "metadata": {
         *           "order": "A-17"
         *         }
         *       }
         *     }
         */
        BatchPausedEvent: {
            /**
             * @description The same in every attempt: drop ids that you have already seen
             * @example evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "batch.paused";
            /**
             * @description The same as `type`
             * @constant
             */
            event_type: "batch.paused";
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-03-20T10:30:08.420Z
             */
            timestamp: string;
            /** @constant */
            version: "1.0";
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            /**
             * @description Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
             * @constant
             */
            test?: true;
            /**
             * @description Id
             * @example bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            batch_id: string;
            data: components["schemas"]["BatchState"];
        };
        /**
         * @example {
         *       "id": "evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "type": "batch.cancelled",
         *       "event_type": "batch.cancelled",
         *       "timestamp": "2026-03-20T10:30:08.420Z",
         *       "version": "1.0",
         *       "organization_id": "org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "batch_id": "bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "data": {
         *         "id": "bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *         "status": "cancelled",
         *         "reason": null,
         *         "counts": {
         *           "total": 1000,
         *           "waiting": 0,
         *           "running": 0,
         *           "completed": 999,
         *           "failed": 0,
         *           "cancelled": 1,
         *           "expired": 0
         *         },
         *         "cost": "39.96",
         *         "metadata": {
         *           "order": "A-17"
         *         }
         *       }
         *     }
         */
        BatchCancelledEvent: {
            /**
             * @description The same in every attempt: drop ids that you have already seen
             * @example evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "batch.cancelled";
            /**
             * @description The same as `type`
             * @constant
             */
            event_type: "batch.cancelled";
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-03-20T10:30:08.420Z
             */
            timestamp: string;
            /** @constant */
            version: "1.0";
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            /**
             * @description Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
             * @constant
             */
            test?: true;
            /**
             * @description Id
             * @example bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            batch_id: string;
            data: components["schemas"]["BatchState"];
        };
        /**
         * @example {
         *       "id": "evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "type": "batch.expired",
         *       "event_type": "batch.expired",
         *       "timestamp": "2026-03-20T10:30:08.420Z",
         *       "version": "1.0",
         *       "organization_id": "org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "batch_id": "bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *       "data": {
         *         "id": "bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d",
         *         "status": "expired",
         *         "reason": null,
         *         "counts": {
         *           "total": 1000,
         *           "waiting": 0,
         *           "running": 0,
         *           "completed": 999,
         *           "failed": 0,
         *           "cancelled": 0,
         *           "expired": 1
         *         },
         *         "cost": "39.96",
         *         "metadata": {
         *           "order": "A-17"
         *         }
         *       }
         *     }
         */
        BatchExpiredEvent: {
            /**
             * @description The same in every attempt: drop ids that you have already seen
             * @example evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "batch.expired";
            /**
             * @description The same as `type`
             * @constant
             */
            event_type: "batch.expired";
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-03-20T10:30:08.420Z
             */
            timestamp: string;
            /** @constant */
            version: "1.0";
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            /**
             * @description Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`
             * @constant
             */
            test?: true;
            /**
             * @description Id
             * @example bat_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            batch_id: string;
            data: components["schemas"]["BatchState"];
        };
        /** @description Sent by `POST /v1/webhooks/endpoints/{id}/test` */
        WebhookTestEvent: {
            /**
             * @description The same in every attempt: drop ids that you have already seen
             * @example evt_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "webhook.test";
            /**
             * @description The same as `type`
             * @constant
             */
            event_type: "webhook.test";
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-03-20T10:30:08.420Z
             */
            timestamp: string;
            /** @constant */
            version: "1.0";
            /**
             * @description Id
             * @example org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d
             */
            organization_id: string;
            data: components["schemas"]["WebhookTestData"];
        };
        WebhookTestData: {
            /** @example This is a test event from Holdfast. */
            message: string;
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
        CreatedApiKey: {
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
             * @description The key. Returned only once
             * @example sk_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef_e1ac3a3f
             */
            key: string;
            /**
             * Format: date-time
             * @description When the key was created
             * @example 2026-03-20T10:30:00.000Z
             */
            created_at: string;
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
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
