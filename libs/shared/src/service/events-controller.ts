import { Catch, Controller, UseFilters, type ExceptionFilter, type Type } from '@nestjs/common'
import { EventPattern } from '@nestjs/microservices'
import { throwError, type Observable } from 'rxjs'
import { type Envelope } from '../events/envelope.js'
import { type AnyService } from './definition.js'

/** Nest would turn errors into "Internal server error"; the strategy settles by what was thrown. */
@Catch()
class PassThroughFilter implements ExceptionFilter {
  catch(thrown: unknown): Observable<never> {
    return throwError(() => thrown)
  }
}

/**
 * The Nest controller of a service's accept table: one method per event, registered by Nest's own message patterns.
 * The table's type has an entry for each event that the service consumes, and the strategy checks the patterns at boot.
 */
export function createEventsController(definition: AnyService): Type<object> {
  @UseFilters(new PassThroughFilter())
  @Controller()
  class EventsController {}

  for (const [key, handler] of Object.entries(definition.accept)) {
    const descriptor = { value: (message: object) => handler(message as Envelope), configurable: true }
    Object.defineProperty(EventsController.prototype, key, descriptor)
    EventPattern(key)(EventsController.prototype, key, descriptor)
  }
  return EventsController
}
