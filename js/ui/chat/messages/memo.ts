// A component that is rendered again only if one of its properties has changed, compared by identity.
import { Component, type ComponentChildren, createElement, type FunctionComponent } from "preact";

export function memo<Props extends object>(view: (props: Props) => ComponentChildren): FunctionComponent<Props> {
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const keys = Object.keys(next) as Array<keyof Props>;
      return keys.length !== Object.keys(this.props).length || keys.some((key) => next[key] !== (this.props as Props)[key]);
    }
    override render(): ComponentChildren {
      return createElement(view as FunctionComponent<Props>, this.props as Props);
    }
  }
  return Memo as unknown as FunctionComponent<Props>;
}
