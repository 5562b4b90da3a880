// What the page knows beside the operations.

/** All operations, by namespace and method; made from docs/sdk.d.ts by tools/check.mjs. */
type Operations = Sdk.Operations;
type HelpOutput = Sdk.HelpOutput;
type HelpRespondInput = Sdk.HelpRespondInput;
type ReviewCommentOutput = Sdk.ReviewCommentOutput;
type EventOutput = Sdk.EventOutput;

/** The answer of /api/me. */
interface Me {
  server: string;
  person: string | null;
  session: string | null;
  reads: boolean;
  read_only: boolean;
  version: string;
  page: string;
  project?: string;
  last_event?: number;
}
