// What the page knows beside the operations.

/** All operations, by namespace and method; made from docs/sdk.d.ts by tools/check.mjs. */
type Operations = Sdk.Operations;
type HelpOutput = Sdk.HelpOutput;
type HelpRespondInput = Sdk.HelpRespondInput;
type ReviewCommentOutput = Sdk.ReviewCommentOutput;
type ReviewsCommentInput = Sdk.ReviewsCommentInput;
type EventOutput = Sdk.EventOutput;

/** What an operation answers, by the name of its method: AnswerOf<"board.list">. */
type AnswerOf<K> = K extends `${infer N}.${infer M}`
  ? N extends keyof Operations
    ? M extends keyof Operations[N]
      ? Operations[N][M] extends (...all: any[]) => Promise<infer R>
        ? R
        : any
      : any
    : any
  : any;

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
