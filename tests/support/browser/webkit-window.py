"""A browser of one WebKitGTK for a WebDriver: each page in a window of its own, on a profile that outlives it.

  python3 webkit-window.py PROFILE FEATURES     FEATURES are those to switch on, with commas between them

WebKit's MiniBrowser stores nothing while a driver holds it. What pages write on their console goes to the standard output.
"""

import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gtk, WebKit2  # noqa: E402


def settings(wanted):
    chosen = WebKit2.Settings(enable_write_console_messages_to_stdout=True)
    # There is no graphics card, and pages on several screens of software would wait for each other.
    chosen.set_hardware_acceleration_policy(WebKit2.HardwareAccelerationPolicy.NEVER)
    features = WebKit2.Settings.get_all_features()
    known = {feature.get_identifier(): feature for feature in map(features.get, range(features.get_length()))}
    for name in wanted:
        if name in known:
            chosen.set_feature_enabled(known[name], True)
    return chosen


def shown(view):
    window = Gtk.Window(default_width=1024, default_height=768)
    window.add(view)
    view.connect("close", lambda _: window.destroy())
    window.show_all()
    return view


def main(profile, features):
    folder = Path(profile)
    data = WebKit2.WebsiteDataManager(base_data_directory=str(folder / "data"), base_cache_directory=str(folder / "cache"))
    context = WebKit2.WebContext(website_data_manager=data)
    chosen = settings(features.split(","))

    def begin(_, session):
        about = WebKit2.ApplicationInfo()
        about.set_name("threadkeep-tests")
        about.set_version(WebKit2.get_major_version(), WebKit2.get_minor_version(), WebKit2.get_micro_version())
        session.set_application_info(about)
        session.connect("create-web-view", lambda _: shown(page()))
        session.connect("will-close", lambda _: Gtk.main_quit())

    def page():
        return WebKit2.WebView(web_context=context, settings=chosen, is_controlled_by_automation=True)

    context.connect("automation-started", begin)
    context.set_automation_allowed(True)
    Gtk.main()


main(*sys.argv[1:])
