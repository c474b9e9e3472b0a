/** Who wrote a message. Only the person's own words are `user`. */
export type Role = 'user' | 'assistant' | 'tool' | 'system';

/** One message of a session, in a form that is the same for all hosts. */
export interface Message {
  /** The host's own id, or one derived from the position when the host gives none. */
  id: string;
  role: Role;
  /** Plain text, LF line ends. */
  content: string;
  /** The speaker in a group chat, as the host names them. */
  sender?: string;
  /** How the person's words reached the agent, unless through the prompt. */
  voice?: 'queued' | 'rejection' | 'answer';
  /** For `tool` messages: the tool's name. */
  tool?: string;
  /** ISO 8601 in UTC; absent if the host does not record it. */
  timestamp?: string;
  /** Id of the session the message belongs to. */
  session: string;
}
