import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { User } from '../entities/user.entity';

/** The stored answer of a POST with an Idempotency-Key, for repeats. */
@Entity('idempotency_key')
@Index(['expiresAt'])
@ForeignKey(() => User, ['userId'], ['id'], { onDelete: 'CASCADE' })
export class IdempotencyKey {
  @PrimaryColumn('uuid')
  userId!: string;

  @PrimaryColumn('text')
  key!: string;

  @Column('text')
  method!: string;

  @Column('text')
  path!: string;

  /**
   * Fingerprint of the request; another body is refused. It is keyed, because a body may hold a
   * password.
   */
  @Column('bytea')
  requestSha256!: Buffer;

  /** Null while the first request is running. */
  @Column('integer', { nullable: true })
  status!: number | null;

  @Column('jsonb', { nullable: true })
  response!: unknown;

  @Column('timestamptz')
  expiresAt!: Date;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
