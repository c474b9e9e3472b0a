/** Who wrote a message. Only the human's own words are `user`. */
export type Role = 'user' | 'assistant' | 'tool' | 'system';

/** One message of a session, in the form every stage reads, whatever host it came from. */
export interface Message {
  /** The host's own id, or one derived from the position when the host gives none. */
  id: string;
  role: Role;
  /** Plain text, LF line ends. */
  content: string;
  /** Who spoke in a group chat, as the host names them. */
  sender?: string;
  /** How the person's words reached the agent, where it was not at the prompt. */
  voice?: 'queued' | 'rejection' | 'answer';
  /** For `tool` messages: the tool's name. */
  tool?: string;
  /** ISO 8601 in UTC; absent when the host does not tell. */
  timestamp?: string;
  /** Id of the session the message belongs to. */
  session: string;
}
