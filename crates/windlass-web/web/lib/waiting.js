// What waits for a person, in one place for the inbox and for the number beside its name.

import { me } from "./api.js";
import { useCall } from "./data.js";

const ON = ["review.", "gate.", "help.", "task.", "entity.", "comment.", "session."];
const DECIDE = ["human_pending", "gates_escalated", "agent_pending"];

/** @typedef {ReturnType<typeof useWaiting>} Waiting */

/** What agents want to run and gates need, and nobody has allowed. Permissions are kept beside the project: a change of one is a touch. @param {{ later?: boolean }} [options] */
export const useWishes = ({ later = false } = {}) => useCall(me.value?.person ? "allowlist.wishes" : null, {}, { on: ["command.", "allowlist.", "gate.", "entity.", "review."], touch: true, later });

/** @param {{ later?: boolean }} [options] `later`: only to be counted, beside another page */
export function useWaiting({ later = false } = {}) {
  const status = useCall("board.status", {}, { on: [...ON, "blocker.", "command.", "allowlist.", "job.", "run."], later });
  const reviews = useCall("reviews.list", { active: true, limit: 100 }, { on: ON, later });
  const questions = useCall("help.list", { limit: 100 }, { on: ON, later });
  const wishes = useWishes({ later });
  const stuck = useCall("board.list", { status: ["blocked"], limit: 100 }, { on: ON, later });
  const signals = useCall("events.list", { type: "session.signal", limit: 50 }, { on: ["session."], later });
  const comments = useCall("events.list", { type: "comment.added", limit: 100 }, { on: ["comment."], later });
  const waiting = status.data?.waiting_for_person ?? [];
  // An agent that asks and goes on: answered once a person has commented on the task.
  const answered = (/** @type {EventOutput} */ ask) => (comments.data?.events ?? []).some((event) => event.actor === "human" && event.entity_number === ask.entity_number && event.seq > ask.seq);
  const list = {
    /** @type {any[]} */
    reviews: (reviews.data?.reviews ?? []).filter((/** @type {any} */ review) => DECIDE.includes(review.status)),
    /** @type {any[]} */
    questions: (questions.data?.help_requests ?? []).filter((/** @type {any} */ one) => one.status === "pending" || one.status === "responded"),
    /** @type {any[]} */
    asked: (signals.data?.events ?? []).filter((event) => event.payload.verb === "ask" && event.entity_number && !answered(event)),
    /** @type {any[]} */
    wishes: wishes.data?.wishes ?? [],
    /** @type {any[]} */
    texts: wishes.data?.texts ?? [],
    // What a permission in one of the lists above settles is not listed again.
    /** @type {any[]} */
    gates: waiting.filter((/** @type {any} */ item) => item.what === "gate" && !(me.value?.person && /windlass (gates )?allow /.test(item.reason))),
    /** @type {any[]} */
    stuck: (stuck.data?.tasks ?? []).filter((/** @type {any} */ task) => !task.blocked_by.length),
  };
  const count = Object.values(list).reduce((sum, one) => sum + one.length, 0);
  const errors = [reviews, questions, wishes, stuck].filter((one) => one.error && !one.data).map((one) => one.error);
  return { status, list, count, errors, settled: Boolean(status.data && reviews.data && questions.data) };
}
